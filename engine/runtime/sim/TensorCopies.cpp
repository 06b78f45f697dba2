// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Data Movement and Conversion Instructions: Tensor copy".
#include "runtime/sim/TensorCopies.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/GlobalMemory.h"
#include "runtime/sim/OperationFamilies.h"

using namespace lh;

static constexpr uint64_t tileAlignment = 128;
static constexpr unsigned tileEngines = 48; ///< the others multiply

/// Calls visit(offset in the box, address in the tensor or null) for each
/// element; outside of the tensor there is none.
template <typename Visit>
static void forBox(const SimTensorMap &map, const std::array<int64_t, 5> &at,
                   Visit visit) {
  uint64_t count = map.boxBytes() / map.elementBytes;
  for (uint64_t i = 0; i < count; ++i) {
    char *address = map.address;
    uint64_t rest = i;
    for (unsigned dim = 0; dim < map.rank; ++dim) {
      int64_t place = at[dim] + static_cast<int64_t>(rest % map.box[dim]);
      rest /= map.box[dim];
      if (place < 0 || static_cast<uint64_t>(place) >= map.sizes[dim])
        address = nullptr;
      uint64_t stride = dim ? map.strides[dim - 1] : map.elementBytes;
      if (address)
        address += static_cast<uint64_t>(place) * stride;
    }
    visit(i * map.elementBytes, address);
  }
}

/// Notes that the tile is read; false: a finding.
static bool readTensor(SimThread &thread, const SimCall &call,
                       const SimTensorCopies::Copy &copy) {
  SimBlock &block = *thread.block;
  uint64_t element = copy.map.elementBytes, bytes = 0;
  const char *begin = nullptr; // of a run of elements side by side
  bool sound = true;
  auto endRun = [&] {
    if (sound && bytes)
      sound = block.touch(thread, *call.site, begin, bytes, SimTouch::Read);
    bytes = 0;
  };
  forBox(copy.map, copy.at, [&](uint64_t, const char *address) {
    if (!address || address != begin + bytes)
      endRun();
    if (!address)
      return;
    if (!bytes)
      begin = address;
    bytes += element;
  });
  endRun();
  return sound;
}

void SimTensorCopies::start(SimThread &thread, const SimCall &call, Copy copy) {
  SimBlock &block = *thread.block;
  const SimSite &site = *call.site;
  if (!block.isAligned(thread, site, copy.shared, tileAlignment))
    return;
  if (!block.phases().isInitialized(copy.barrier))
    return block.fail(DiagKind::BackendDeviceFault, &thread, &site,
                      "no mbarrier was initialised where it counts its bytes");
  if (!readTensor(thread, call, copy))
    return;
  unsigned engine = next++ % tileEngines;
  copy.stamp = block.clocks().startEngine(engine, thread.index);
  if (!block.touchAs(thread, site, copy.shared, copy.map.boxBytes(),
                     SimTouch::CopyStart, copy.stamp))
    return;
  copies.push_back(copy);
}

static void deliver(SimBlock &block, const SimTensorCopies::Copy &copy) {
  const SimTensorMap &map = copy.map;
  forBox(map, copy.at, [&](uint64_t offset, const char *address) {
    auto to = reinterpret_cast<char *>(swizzled(
        reinterpret_cast<uintptr_t>(copy.shared) + offset, map.swizzle));
    if (address)
      std::memcpy(to, address, map.elementBytes);
    else
      std::memset(to, map.fillsWithNan ? 0xFF : 0, map.elementBytes);
  });
  block.shared().land(copy.shared, map.boxBytes(), copy.stamp);
}

void SimTensorCopies::finishOne(SimBlock &block, size_t chosen) {
  Copy copy = copies[chosen];
  copies.erase(copies.begin() + static_cast<std::ptrdiff_t>(chosen));
  deliver(block, copy);
  block.phases().complete(block, copy.stamp.actor(), copy.barrier,
                          static_cast<int64_t>(copy.map.boxBytes()));
}

namespace {
/// Which argument is what.
struct Arguments {
  unsigned shared = 0, map = 0, barrier = 0, firstPlace = 0;
  std::optional<unsigned> predicate;
  unsigned rank = 0;
};
} // namespace

static SimOperation loadTile(const Arguments &arguments) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    if (arguments.predicate && !(call.get<uint8_t>(*arguments.predicate) & 1))
      return;
    SimBlock &block = *thread.block;
    auto map = readSimTensorMap(call.get<const void *>(arguments.map));
    if (!map || map->rank != arguments.rank)
      return block.fail(DiagKind::BackendDeviceFault, &thread, call.site,
                        "it gets no tensor map of " + Twine(arguments.rank) +
                            " dimensions");
    SimTensorCopies::Copy copy;
    copy.map = *map;
    copy.shared = call.get<char *>(arguments.shared);
    copy.barrier = call.get<const void *>(arguments.barrier);
    for (unsigned i = 0; i < arguments.rank; ++i)
      copy.at[i] = call.get<int32_t>(arguments.firstPlace + i);
    block.tensorCopies().start(thread, call, copy);
  });
}

/// "@$5 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx
/// ::bytes [$0], [$1, {$2,$3} ], [$4];"
static std::optional<SimOperation> findCopyAssembly(StringRef text) {
  size_t at = text.find("cp.async.bulk.tensor.");
  if (at == StringRef::npos || !text.contains(".global.mbarrier::"))
    return std::nullopt;
  Arguments arguments;
  unsigned number = 0;
  StringRef before = text.substr(0, at).trim();
  if (before.consume_front("@$") && !before.consumeInteger(10, number))
    arguments.predicate = number;
  StringRef rest = text.substr(at + StringRef("cp.async.bulk.tensor.").size());
  if (rest.consumeInteger(10, arguments.rank) || arguments.rank > 5 ||
      text.contains("im2col") || text.contains("multicast"))
    return std::nullopt;
  arguments.map = 1;
  arguments.firstPlace = 2;
  arguments.barrier = 2 + arguments.rank;
  return loadTile(arguments);
}

std::optional<SimOperation> lh::findTensorCopy(const SimOperationName &name,
                                               const SimChip &chip) {
  if (!chip.isNvidia() || chip.version < 90)
    return std::nullopt;
  if (name.isAssembly())
    return findCopyAssembly(name.name);
  // llvm.nvvm.cp.async.bulk.tensor.g2s[.cta].tile.<n>d(shared, mbarrier, map,
  // coordinates..., ...).
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm.cp.async.bulk.tensor.g2s."))
    return std::nullopt;
  text.consume_front("cta.");
  Arguments arguments;
  if (!text.consume_front("tile.") || text.consumeInteger(10, arguments.rank) ||
      text != "d" || arguments.rank > 5)
    return std::nullopt;
  arguments.barrier = 1;
  arguments.map = 2;
  arguments.firstPlace = 3;
  return loadTile(arguments);
}
