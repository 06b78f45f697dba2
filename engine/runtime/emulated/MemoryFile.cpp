// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files by memfd_create.
#include "runtime/emulated/MemoryFile.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

using namespace lh;

MemoryFile::MemoryFile(size_t size) : file(::memfd_create("lh-run", 0)) {
  if (file < 0 || size == 0)
    return;
  void *memory = MAP_FAILED;
  if (::ftruncate(file, static_cast<off_t>(size)) == 0)
    memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    ::close(std::exchange(file, -1));
    return;
  }
  mapped = static_cast<std::byte *>(memory);
  mappedSize = size;
}

MemoryFile::MemoryFile(MemoryFile &&other) noexcept
    : file(std::exchange(other.file, -1)),
      mapped(std::exchange(other.mapped, nullptr)),
      mappedSize(std::exchange(other.mappedSize, 0)) {}

MemoryFile::~MemoryFile() {
  if (mapped)
    ::munmap(mapped, mappedSize);
  if (file >= 0)
    ::close(file);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(file);
}

bool MemoryFile::write(StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0)
      return false;
    bytes = bytes.drop_front(static_cast<size_t>(written));
  }
  return true;
}

std::string MemoryFile::read() const {
  struct stat status {};
  if (::fstat(file, &status) != 0)
    return "";
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t count = ::pread(file, bytes.data() + done, bytes.size() - done,
                            static_cast<off_t>(done));
    if (count <= 0)
      break;
    done += static_cast<size_t>(count);
  }
  bytes.resize(done);
  return bytes;
}
