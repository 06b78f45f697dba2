// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Timed steps have the machine to themselves.
#include "core/exec/MachineLock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

using namespace lh;

MachineLock::Hold::Hold(Hold &&other) noexcept
    : descriptor(std::exchange(other.descriptor, -1)) {}

MachineLock::Hold::~Hold() {
  if (descriptor >= 0)
    close(descriptor);
}

static int openLock(const std::string &path) {
  return path.empty() ? -1
                      : open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int operation(MachineUse use) {
  return use == MachineUse::Exclusive ? LOCK_EX : LOCK_SH;
}

MachineLock::Hold MachineLock::acquire(MachineUse use) {
  int descriptor = openLock(path);
  while (descriptor >= 0 && flock(descriptor, operation(use)) != 0 &&
         errno == EINTR) {
  }
  return Hold(descriptor);
}

std::optional<MachineLock::Hold> MachineLock::tryAcquire(MachineUse use) {
  int descriptor = openLock(path);
  if (descriptor >= 0 && flock(descriptor, operation(use) | LOCK_NB) != 0) {
    close(descriptor);
    return std::nullopt;
  }
  return Hold(descriptor);
}
