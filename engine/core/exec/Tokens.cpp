// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many workers may run at a time.
#include "core/exec/Tokens.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

using namespace lh;

// What a pipe surely holds, and more than any machine's processors.
static constexpr unsigned maxJobs = 4096;

Tokens::Tokens(unsigned jobs) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return;
  readEnd = ends[0];
  writeEnd = ends[1];
  for (unsigned i = 1; i < std::min(jobs, maxJobs); ++i)
    giveBack();
}

Tokens::~Tokens() {
  if (readEnd < 0)
    return;
  close(readEnd);
  close(writeEnd);
}

bool Tokens::tryTake() {
  char token;
  ssize_t size;
  do
    size = read(readEnd, &token, 1);
  while (size < 0 && errno == EINTR);
  return size == 1;
}

void Tokens::giveBack() {
  char token = 't';
  while (write(writeEnd, &token, 1) < 0 && errno == EINTR) {
  }
}
