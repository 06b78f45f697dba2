// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA driver API, "Tensor Map Object Managment": cuTensorMapEncodeTiled.
#include "runtime/sim/TensorMaps.h"

#include <cstring>

using namespace lh;

static constexpr uint64_t magic = 0x70616d726f736e74; // "tnsormap"
static_assert(sizeof(SimTensorMap) <= tensorMapBytes);

/// By CUtensorMapDataType.
static constexpr uint8_t elementSizes[] = {1, 2, 4, 4, 8, 8, 2,
                                           4, 8, 2, 4, 4, 4};

static std::optional<SimTensorMapProblem>
checkShape(const TensorMapShape &shape) {
  using Problem = SimTensorMapProblem;
  size_t rank = shape.sizes.size();
  auto limit = [](const Twine &text) {
    return Problem{DiagKind::BackendDeviceLimit, text.str()};
  };
  auto misaligned = [](const Twine &text) {
    return Problem{DiagKind::BackendMisaligned, text.str()};
  };
  if (rank < 1 || rank > 5 || shape.strides.size() + 1 != rank ||
      shape.box.size() != rank)
    return limit("a tensor map has 1 to 5 dimensions, and a size, a box and "
                 "(but for the innermost) a stride of each");
  if (shape.dataType >= std::size(elementSizes) || shape.swizzle > 3 ||
      shape.interleave != 0)
    return Problem{DiagKind::BackendNotSimulated,
                   "a tensor map of type " + std::to_string(shape.dataType) +
                       ", swizzle " + std::to_string(shape.swizzle) +
                       " and interleave " + std::to_string(shape.interleave)};
  if (reinterpret_cast<uintptr_t>(shape.address) % 16 != 0)
    return misaligned("a tensor's address must be a multiple of 16");
  for (uint64_t stride : shape.strides)
    if (stride % 16 != 0 || stride >= uint64_t(1) << 40)
      return misaligned("a tensor's stride of " + Twine(stride) +
                        " bytes; it must be a multiple of 16 below 2^40");
  for (size_t i = 0; i < rank; ++i)
    if (shape.sizes[i] == 0 || shape.sizes[i] > uint64_t(1) << 32 ||
        shape.box[i] == 0 || shape.box[i] > 256)
      return limit("a box of " + Twine(shape.box[i]) + " in a tensor of " +
                   Twine(shape.sizes[i]) + "; it must be 1 to 256");
  uint64_t inner = uint64_t(shape.box[0]) * elementSizes[shape.dataType];
  if (inner % 16 != 0)
    return misaligned("a box's rows have " + Twine(inner) +
                      " bytes; it must be a multiple of 16");
  uint64_t span = uint64_t(16) << shape.swizzle;
  if (shape.swizzle && inner > span)
    return limit("a box's rows have " + Twine(inner) +
                 " bytes; its swizzle spans " + Twine(span));
  return std::nullopt;
}

std::optional<SimTensorMapProblem>
lh::encodeSimTensorMap(const TensorMapShape &shape, SimTensorMap &map) {
  if (auto problem = checkShape(shape))
    return problem;
  map = {};
  map.magic = magic;
  map.address = static_cast<char *>(shape.address);
  map.rank = static_cast<uint8_t>(shape.sizes.size());
  map.elementBytes = elementSizes[shape.dataType];
  map.swizzle = static_cast<SimSwizzle>(shape.swizzle);
  map.fillsWithNan = shape.fill != 0;
  std::copy(shape.sizes.begin(), shape.sizes.end(), map.sizes);
  std::copy(shape.strides.begin(), shape.strides.end(), map.strides);
  for (size_t i = 0; i < shape.box.size(); ++i)
    map.box[i] = static_cast<uint16_t>(shape.box[i]);
  return std::nullopt;
}

std::optional<SimTensorMap> lh::readSimTensorMap(const void *at) {
  SimTensorMap map;
  std::memcpy(&map, at, sizeof(map));
  return map.magic == magic ? std::optional(map) : std::nullopt;
}
