// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions".
#include "runtime/sim/Wgmma.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/MatrixElements.h"
#include "runtime/sim/OperationFamilies.h"

using namespace lh;

using Reach = SimOperation::Reach;

static constexpr unsigned rows = 64, threads = 128, mostColumns = 256,
                          deepest = 32, chunkBytes = 16;
static constexpr unsigned firstEngine = 48; ///< those below copy tiles

WgmmaDescriptor WgmmaDescriptor::decode(uint64_t bits) {
  auto field = [&](unsigned at) { return (bits >> at & 0x3FFF) << 4; };
  constexpr SimSwizzle modes[] = {SimSwizzle::None, SimSwizzle::Of128,
                                  SimSwizzle::Of64, SimSwizzle::Of32};
  return {field(0), field(16), field(32), modes[bits >> 62]};
}

// The strides are those of CUTLASS' "canonical layouts" (include/cute/arch/
// mma_sm90_desc.hpp), which spell out PTX ISA, "Strides".
uint64_t WgmmaDescriptor::offset(unsigned outer, unsigned k,
                                 unsigned elementBytes, bool kMajor) const {
  uint64_t span = uint64_t(16) << static_cast<unsigned>(swizzle);
  uint64_t inSpan = span / elementBytes;
  if (kMajor && swizzle == SimSwizzle::None)
    return outer % 8 * span + outer / 8 * stride + k % inSpan * elementBytes +
           k / inSpan * leading;
  if (kMajor)
    return outer % 8 * span + outer / 8 * stride + uint64_t(k) * elementBytes;
  uint64_t along = swizzle == SimSwizzle::None ? stride : leading;
  uint64_t down = swizzle == SimSwizzle::None ? leading : stride;
  return outer % inSpan * elementBytes + outer / inSpan * along + k % 8 * span +
         k / 8 * down;
}

bool SimWgmmaGroups::isPending(const SimSite *site) const {
  auto holds = [&](const std::vector<Product> &products) {
    return llvm::any_of(
        products, [&](const Product &product) { return product.site == site; });
  };
  return holds(open) || llvm::any_of(groups, holds);
}

namespace {
struct WgmmaShape {
  unsigned n = 0, k = 0;
  MatrixElement d = MatrixElement::F32, a = MatrixElement::F16,
                b = MatrixElement::F16;

  unsigned resultsPerThread() const { return rows * n / threads; }
  /// Registers of D of a thread: f16 has two to one.
  unsigned accumulators() const {
    return resultsPerThread() / elementsPerRegister(d);
  }
};

/// The operands of one product, as numbers.
template <typename T> struct WgmmaTiles {
  std::vector<T> a = std::vector<T>(rows * deepest);
  std::vector<T> b = std::vector<T>(deepest * mostColumns);
};

/// One product that is being done: what its reads are noted as.
struct Reading {
  SimBlock &block;
  SimThread &leader;
  const SimSite &site;
  SimStamp stamp;
};
} // namespace

/// Reads `count` rows (of A) or columns (of B); false: a finding.
template <typename T, typename Put>
static bool readOperand(const Reading &reading, uint64_t bits, bool kMajor,
                        unsigned count, unsigned depth, MatrixElement type,
                        Put put) {
  WgmmaDescriptor descriptor = WgmmaDescriptor::decode(bits);
  unsigned bytes = bitsOf(type) / 8, inChunk = chunkBytes / bytes;
  auto base = reinterpret_cast<uintptr_t>(reading.block.shared().base()) +
              descriptor.start;
  for (unsigned outer = 0; outer < count; ++outer)
    for (unsigned k = 0; k < depth; ++k) {
      auto *at = reinterpret_cast<const char *>(
          swizzled(base + descriptor.offset(outer, k, bytes, kMajor),
                   descriptor.swizzle));
      bool first = kMajor ? k % inChunk == 0 : outer % inChunk == 0;
      if (first &&
          !reading.block.touchAs(reading.leader, reading.site, at, chunkBytes,
                                 SimTouch::Read, reading.stamp))
        return false;
      put(outer, k, readElement<T>(type, at, 0));
    }
  return true;
}

template <typename T>
static void accumulate(const SimGathering &group, const WgmmaShape &shape,
                       const WgmmaTiles<T> &tiles, bool keeps) {
  std::vector<T> row(shape.n);
  std::vector<std::vector<T>> products(rows, std::vector<T>(shape.n));
  for (unsigned m = 0; m < rows; ++m)
    for (unsigned k = 0; k < shape.k; ++k) {
      T a = tiles.a[m * deepest + k];
      const T *b = &tiles.b[k * mostColumns];
      T *to = products[m].data();
      for (unsigned column = 0; column < shape.n; ++column)
        to[column] += a * b[column];
    }
  unsigned per = elementsPerRegister(shape.d);
  for (unsigned thread = 0; thread < threads; ++thread)
    for (unsigned i = 0; i < shape.resultsPerThread(); ++i) {
      MatrixPlace place = wgmmaPlaceOfD(thread, i);
      SimCall call = group.call(thread);
      T value = products[place.row][place.column];
      if (keeps)
        value += readElement<T>(shape.d, call.at(i / per), i % per);
      writeElement<T>(shape.d, call.result(), i, value);
    }
}

static void fail(const Reading &reading, DiagKind kind, const Twine &what) {
  reading.block.fail(kind, &reading.leader, &reading.site, what);
}

template <typename T>
static void multiply(const SimGathering &group, const WgmmaShape &shape) {
  SimThread &leader = *group.lanes[0];
  SimCall call = group.call(0);
  unsigned first = shape.accumulators();
  bool sixteen =
      shape.a == MatrixElement::F16 || shape.a == MatrixElement::BF16;
  bool aAcross = sixteen && call.get<uint32_t>(first + 5);
  bool bAcross = sixteen && call.get<uint32_t>(first + 6);
  bool keeps = call.get<uint32_t>(first + 2) != 0;
  bool floats = !isInteger(shape.a);
  T aSign = floats && call.get<int32_t>(first + 3) < 0 ? T(-1) : T(1);
  T bSign = floats && call.get<int32_t>(first + 4) < 0 ? T(-1) : T(1);
  SimBlock &block = group.block;
  SimStamp stamp = block.clocks().startEngine(firstEngine + leader.warp / 4 % 8,
                                              leader.index);
  Reading reading{block, leader, *call.site, stamp};
  for (SimThread *thread : group.lanes) {
    if (!thread->wgmma.fenced)
      return fail(reading, DiagKind::BackendMissingWait,
                  "no wgmma.fence comes before the first product");
    thread->wgmma.add({call.site, stamp.actor(), stamp.tick()});
  }
  WgmmaTiles<T> tiles;
  if (readOperand<T>(reading, call.get<uint64_t>(first), !aAcross, rows,
                     shape.k, shape.a,
                     [&](unsigned m, unsigned k, T value) {
                       tiles.a[m * deepest + k] = value * aSign;
                     }) &&
      readOperand<T>(reading, call.get<uint64_t>(first + 1), !bAcross, shape.n,
                     shape.k, shape.b, [&](unsigned n, unsigned k, T value) {
                       tiles.b[k * mostColumns + n] = value * bSign;
                     }))
    accumulate(group, shape, tiles, keeps);
}

/// "...wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {$0, ...}, $128,
/// ...": both operands by descriptor.
static std::optional<SimOperation> findProduct(StringRef text) {
  WgmmaShape shape;
  size_t at = text.find("wgmma.mma_async.sync.aligned.m64n");
  if (at == StringRef::npos)
    return std::nullopt;
  StringRef rest = text.substr(text.find("m64n", at) + 4);
  if (rest.consumeInteger(10, shape.n) || !rest.consume_front("k") ||
      rest.consumeInteger(10, shape.k) || !rest.consume_front("."))
    return std::nullopt;
  llvm::SmallVector<StringRef> types;
  rest.substr(0, rest.find(' ')).split(types, '.');
  // A in registers is a second list in braces.
  if (types.size() < 3 || rest.count('{') != 1)
    return std::nullopt;
  auto d = findMatrixElement(types[0]), a = findMatrixElement(types[1]),
       b = findMatrixElement(types[2]);
  if (!d || !a || !b || shape.n % 8 || shape.n > mostColumns ||
      shape.k * bitsOf(*a) != 256 || bitsOf(*a) < 8)
    return std::nullopt;
  shape.d = *d;
  shape.a = *a;
  shape.b = *b;
  bool integer = isInteger(shape.a);
  return SimOperation::of(Reach::Warpgroup, [=](const SimGathering &group) {
    if (integer)
      multiply<int32_t>(group, shape);
    else
      multiply<float>(group, shape);
  });
}

static void waitForProducts(SimThread &thread, size_t atMost) {
  while (auto group = thread.wgmma.retire(atMost))
    for (const SimWgmmaGroups::Product &product : *group)
      thread.block->clocks().learn(thread.index, product.actor,
                                   product.tick + 1);
}

SimOperation lh::accumulatorCheck() {
  return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
    const auto *product = call.get<const SimSite *>(0);
    if (thread.wgmma.isPending(product))
      thread.block->fail(DiagKind::BackendMissingWait, &thread, call.site,
                         "it uses an accumulator before wgmma.wait_group for "
                         "the product that makes it");
  });
}

std::optional<SimOperation> lh::findWgmma(const SimOperationName &name,
                                          const SimChip &chip) {
  if (!chip.isNvidia() || chip.version != 90 || !chip.specific)
    return std::nullopt;
  if (name.isAssembly())
    return findProduct(name.name);
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm.wgmma."))
    return std::nullopt;
  if (text == "fence.sync.aligned")
    return SimOperation::ofThread(
        [](SimThread &thread, const SimCall &) { thread.wgmma.fenced = true; });
  if (text == "commit_group.sync.aligned")
    return SimOperation::ofThread(
        [](SimThread &thread, const SimCall &) { thread.wgmma.commit(); });
  if (text == "wait_group.sync.aligned")
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      waitForProducts(thread, call.get<uint64_t>(0));
    });
  return std::nullopt;
}
