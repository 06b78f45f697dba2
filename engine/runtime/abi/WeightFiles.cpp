// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory-maps weight files and copies what lies unaligned in them.
#include "runtime/abi/WeightFiles.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lh;

WeightFiles::~WeightFiles() {
  for (auto &entry : mappings)
    if (entry.second.begin)
      ::munmap(const_cast<std::byte *>(entry.second.begin), entry.second.size);
}

size_t WeightFiles::copiedBytes() const {
  size_t bytes = 0;
  for (const Tensor &copy : copies)
    bytes += copy.sizeInBytes();
  return bytes;
}

static LogicalResult fileError(const EntryArgument &weight, const Twine &what,
                               const SourceSpan &where, DiagnosticSink &sink) {
  return sink.error(DiagKind::BackendWeightFile, where,
                    "weight '" + weight.tensor.name + "' in '" +
                        weight.data.file + "': " + what);
}

FailureOr<WeightFiles::Mapping> WeightFiles::map(const EntryArgument &weight,
                                                 const SourceSpan &where,
                                                 DiagnosticSink &sink) {
  auto known = mappings.find(weight.data.file);
  if (known != mappings.end())
    return known->second;
  int fd = ::open(weight.data.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return fileError(weight, std::strerror(errno), where, sink);
  struct stat status {};
  Mapping mapping;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
    mapping.size = static_cast<uint64_t>(status.st_size);
  if (mapping.size > 0) {
    void *begin = ::mmap(nullptr, mapping.size, PROT_READ, MAP_PRIVATE, fd, 0);
    int error = errno;
    ::close(fd);
    if (begin == MAP_FAILED)
      return fileError(weight, std::strerror(error), where, sink);
    mapping.begin = static_cast<const std::byte *>(begin);
  } else {
    ::close(fd);
  }
  mappings.emplace(weight.data.file, mapping);
  return mapping;
}

/// Lets go of mapped pages that were copied: else a large model would stay in
/// memory twice. Whoever reads them again gets them from the file.
static void forgetPages(const std::byte *begin, uint64_t size) {
  auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  uintptr_t address = reinterpret_cast<uintptr_t>(begin);
  uintptr_t start = address / page * page;
  (void)::madvise(reinterpret_cast<void *>(start), address - start + size,
                  MADV_DONTNEED);
}

FailureOr<const std::byte *> WeightFiles::bind(const EntryArgument &weight,
                                               size_t alignment,
                                               const SourceSpan &where,
                                               DiagnosticSink &sink) {
  uint64_t needed = byteSize(weight.tensor.dtype);
  for (int64_t dim : weight.tensor.shape)
    needed *= static_cast<uint64_t>(dim);
  const WeightPlace &place = weight.data;
  if (place.bytes != needed)
    return fileError(weight,
                     Twine(place.bytes) + " bytes are named, the tensor has " +
                         Twine(needed),
                     where, sink);
  FailureOr<Mapping> mapping = map(weight, where, sink);
  if (failed(mapping))
    return failure();
  if (place.offset > mapping->size ||
      place.bytes > mapping->size - place.offset)
    return fileError(weight,
                     "the file has " + Twine(mapping->size) +
                         " bytes, the weight ends at " +
                         Twine(place.offset + place.bytes) +
                         "; did it change since the import?",
                     where, sink);
  const std::byte *bytes = mapping->begin + place.offset;
  if (reinterpret_cast<uintptr_t>(bytes) % alignment == 0)
    return bytes;
  Tensor &copy = copies.emplace_back(weight.tensor.dtype, weight.tensor.shape);
  std::memcpy(copy.data(), bytes, place.bytes);
  forgetPages(bytes, place.bytes);
  return static_cast<const std::byte *>(copy.data());
}
