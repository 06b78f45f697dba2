// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lh-launch-by-address.
#include "compiler/gaps/Gaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lh {
#define GEN_PASS_DEF_LAUNCHBYADDRESSPASS
#include "compiler/gaps/gpu/Passes.h.inc"
} // namespace lh

using namespace mlir;

/// i64 (i64 address of the host's): the same memory's on the device.
static constexpr StringRef deviceAddressName = "lh_device_address";

//===----------------------------------------------------------------------===//
// Numbers in memory
//===----------------------------------------------------------------------===//

/// The type whose bits memory holds; null for what shaders don't load.
static Type storedType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isBF16())
    return IntegerType::get(context, 16);
  if (element.isIndex())
    return IntegerType::get(context, 64);
  if (element.isInteger(1))
    return IntegerType::get(context, 8);
  bool isNumber = element.isF16() || element.isF32() || element.isF64() ||
                  element.isInteger(8) || element.isInteger(16) ||
                  element.isInteger(32) || element.isInteger(64);
  return isNumber ? element : Type();
}

static int64_t bytesOf(Type stored) {
  return stored.getIntOrFloatBitWidth() / 8;
}

/// From what memory holds to the number.
static Value decode(OpBuilder &builder, Location loc, Value bits, Type type) {
  if (bits.getType() == type)
    return bits;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, bits);
  if (type.isBF16())
    return arith::BitcastOp::create(builder, loc, type, bits);
  Value zero = arith::ConstantOp::create(builder, loc,
                                         builder.getZeroAttr(bits.getType()));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bits,
                               zero);
}

static Value encode(OpBuilder &builder, Location loc, Value number,
                    Type stored) {
  Type type = number.getType();
  if (type == stored)
    return number;
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, stored, number);
  if (type.isBF16())
    return arith::BitcastOp::create(builder, loc, stored, number);
  return arith::ExtUIOp::create(builder, loc, stored, number);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

namespace {
/// Where a buffer of a kernel lies.
struct BufferPlace {
  /// Of the device, an i64; null for memory that a kernel has itself.
  Value address;
  /// That memory, of one dimension, where there is no address.
  Value own;
  OpFoldResult offset; ///< in elements
  SmallVector<OpFoldResult> sizes, strides;
};

/// Rewrites one launch.
class AddressedLaunch {
public:
  AddressedLaunch(gpu::LaunchOp launch, func::FuncOp deviceAddress)
      : launch(launch), deviceAddress(deviceAddress) {}

  /// Fails having said what of the launch no shader can do.
  LogicalResult rewrite();

private:
  bool isOutside(Value value) {
    return !launch.getBody().isAncestor(value.getParentRegion());
  }
  /// Null for memory of the kernel's own that it reaches without views.
  FailureOr<const BufferPlace *> placeOf(Value buffer);
  FailureOr<BufferPlace> describe(Value buffer);
  BufferPlace describeOutside(Value buffer);
  FailureOr<BufferPlace> describeView(memref::ViewOp view);
  FailureOr<BufferPlace> describeCast(memref::ReinterpretCastOp cast);

  LogicalResult rewriteOp(Operation *op);
  LogicalResult rewriteLoad(memref::LoadOp load);
  LogicalResult rewriteStore(memref::StoreOp store);
  LogicalResult rewriteSize(memref::DimOp size);
  LogicalResult rewriteMetadata(memref::ExtractStridedMetadataOp op);

  Value indexIn(OpBuilder &builder, Location loc, const BufferPlace &place,
                ValueRange indices);
  Value pointerTo(OpBuilder &builder, Location loc, const BufferPlace &place,
                  ValueRange indices, Type stored);
  LogicalResult passAsWords();

  gpu::LaunchOp launch;
  func::FuncOp deviceAddress;
  llvm::DenseMap<Value, BufferPlace> places;
};
} // namespace

/// A buffer that the host has, or a constant: its address is asked for before
/// the launch.
BufferPlace AddressedLaunch::describeOutside(Value buffer) {
  OpBuilder builder(launch);
  Location loc = launch.getLoc();
  if (auto constant = buffer.getDefiningOp<memref::GetGlobalOp>())
    buffer = builder.clone(*constant)->getResult(0);
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value host =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  host = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), host);
  auto call = func::CallOp::create(builder, loc, deviceAddress, host);
  BufferPlace place;
  place.address = call.getResult(0);
  place.offset = metadata.getConstifiedMixedOffset();
  place.sizes = metadata.getConstifiedMixedSizes();
  place.strides = metadata.getConstifiedMixedStrides();
  return place;
}

FailureOr<BufferPlace> AddressedLaunch::describeView(memref::ViewOp view) {
  FailureOr<const BufferPlace *> bytes = placeOf(view.getSource());
  if (failed(bytes))
    return failure();
  if (!*bytes || !(*bytes)->address)
    return view.emitError("a view of workgroup memory by bytes, which shaders "
                          "don't have");
  OpBuilder builder(view);
  Location loc = view.getLoc();
  Value shift = arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                           view.getByteShift());
  BufferPlace place;
  place.address = arith::AddIOp::create(builder, loc, (*bytes)->address, shift);
  place.offset = builder.getIndexAttr(0);
  place.sizes = getMixedValues(view.getType().getShape(), view.getSizes(),
                               view.getContext());
  place.strides.resize(place.sizes.size());
  OpFoldResult stride = builder.getIndexAttr(1);
  for (size_t i = place.sizes.size(); i-- > 0;) {
    place.strides[i] = stride;
    Value product = arith::MulIOp::create(
        builder, loc, getValueOrCreateConstantIndexOp(builder, loc, stride),
        getValueOrCreateConstantIndexOp(builder, loc, place.sizes[i]));
    stride = product;
  }
  return place;
}

FailureOr<BufferPlace>
AddressedLaunch::describeCast(memref::ReinterpretCastOp cast) {
  FailureOr<const BufferPlace *> source = placeOf(cast.getSource());
  if (failed(source))
    return failure();
  BufferPlace place;
  if (*source)
    place = **source;
  else
    place.own = cast.getSource();
  if (place.own && mlir::cast<MemRefType>(place.own.getType()).getRank() != 1)
    return cast.emitError("a view of workgroup memory of several dimensions, "
                          "which shaders don't have");
  place.offset = cast.getConstifiedMixedOffset();
  place.sizes = cast.getConstifiedMixedSizes();
  place.strides = cast.getConstifiedMixedStrides();
  return place;
}

/// Memory of a block, which a variable of the module may stand for.
static bool isWorkgroup(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) &&
         !buffer.getDefiningOp<ViewLikeOpInterface>();
}

/// A place without an address and memory of the kernel's own is that of memory
/// which needs no other form.
FailureOr<BufferPlace> AddressedLaunch::describe(Value buffer) {
  Operation *from = buffer.getDefiningOp();
  if (isWorkgroup(buffer))
    return BufferPlace();
  if (isOutside(buffer) || isa_and_nonnull<memref::GetGlobalOp>(from))
    return describeOutside(buffer);
  if (isa<BlockArgument>(buffer) ||
      isa<memref::AllocaOp, memref::AllocOp>(from))
    return BufferPlace();
  if (auto view = dyn_cast<memref::ViewOp>(from))
    return describeView(view);
  if (auto cast = dyn_cast<memref::ReinterpretCastOp>(from))
    return describeCast(cast);
  if (auto cast = dyn_cast<memref::CastOp>(from)) {
    FailureOr<const BufferPlace *> source = placeOf(cast.getSource());
    if (failed(source))
      return failure();
    return *source ? **source : BufferPlace();
  }
  return from->emitError("makes a buffer inside of a kernel that no address "
                         "stands for; 'expand-strided-metadata' goes before");
}

FailureOr<const BufferPlace *> AddressedLaunch::placeOf(Value buffer) {
  auto known = places.find(buffer);
  if (known == places.end()) {
    FailureOr<BufferPlace> place = describe(buffer);
    if (failed(place))
      return failure();
    known = places.try_emplace(buffer, std::move(*place)).first;
  }
  const BufferPlace &place = known->second;
  return place.address || place.own ? &place : nullptr;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Of the element, counted from the address.
Value AddressedLaunch::indexIn(OpBuilder &builder, Location loc,
                               const BufferPlace &place, ValueRange indices) {
  Value sum = getValueOrCreateConstantIndexOp(builder, loc, place.offset);
  for (auto [index, stride] : llvm::zip_equal(indices, place.strides)) {
    Value step = index;
    if (!isConstantIntValue(stride, 1))
      step = arith::MulIOp::create(
          builder, loc, index,
          getValueOrCreateConstantIndexOp(builder, loc, stride));
    sum = arith::AddIOp::create(builder, loc, sum, step);
  }
  return sum;
}

Value AddressedLaunch::pointerTo(OpBuilder &builder, Location loc,
                                 const BufferPlace &place, ValueRange indices,
                                 Type stored) {
  Type word = builder.getI64Type();
  Value index = arith::IndexCastOp::create(
      builder, loc, word, indexIn(builder, loc, place, indices));
  Value bytes = arith::MulIOp::create(
      builder, loc, index,
      arith::ConstantIntOp::create(builder, loc, word, bytesOf(stored)));
  Value address = arith::AddIOp::create(builder, loc, place.address, bytes);
  return spirv::ConvertUToPtrOp::create(
      builder, loc,
      spirv::PointerType::get(stored,
                              spirv::StorageClass::PhysicalStorageBuffer),
      address);
}

/// The type in memory of what an access is to; fails having said so.
static FailureOr<Type> storedTypeOf(Operation *access, Type element) {
  if (Type stored = storedType(element))
    return stored;
  return access->emitError("shaders hold no numbers of type ") << element;
}

/// How a shader reads and writes memory by address: aligned as its numbers are.
static std::pair<spirv::MemoryAccessAttr, IntegerAttr>
alignedAs(OpBuilder &builder, Type stored) {
  return {spirv::MemoryAccessAttr::get(builder.getContext(),
                                       spirv::MemoryAccess::Aligned),
          builder.getI32IntegerAttr(static_cast<int32_t>(bytesOf(stored)))};
}

LogicalResult AddressedLaunch::rewriteLoad(memref::LoadOp load) {
  FailureOr<const BufferPlace *> place = placeOf(load.getMemRef());
  if (failed(place) || !*place)
    return success(succeeded(place));
  OpBuilder builder(load);
  Location loc = load.getLoc();
  Value number;
  if ((*place)->own) {
    Value index = indexIn(builder, loc, **place, load.getIndices());
    number = memref::LoadOp::create(builder, loc, (*place)->own, index);
  } else {
    FailureOr<Type> stored = storedTypeOf(load, load.getType());
    if (failed(stored))
      return failure();
    Value pointer =
        pointerTo(builder, loc, **place, load.getIndices(), *stored);
    auto [access, alignment] = alignedAs(builder, *stored);
    Value bits =
        spirv::LoadOp::create(builder, loc, pointer, access, alignment);
    number = decode(builder, loc, bits, load.getType());
  }
  load.replaceAllUsesWith(number);
  load.erase();
  return success();
}

LogicalResult AddressedLaunch::rewriteStore(memref::StoreOp store) {
  FailureOr<const BufferPlace *> place = placeOf(store.getMemRef());
  if (failed(place) || !*place)
    return success(succeeded(place));
  OpBuilder builder(store);
  Location loc = store.getLoc();
  Value number = store.getValueToStore();
  if ((*place)->own) {
    Value index = indexIn(builder, loc, **place, store.getIndices());
    memref::StoreOp::create(builder, loc, number, (*place)->own, index);
  } else {
    FailureOr<Type> stored = storedTypeOf(store, number.getType());
    if (failed(stored))
      return failure();
    Value pointer =
        pointerTo(builder, loc, **place, store.getIndices(), *stored);
    auto [access, alignment] = alignedAs(builder, *stored);
    spirv::StoreOp::create(builder, loc, pointer,
                           encode(builder, loc, number, *stored), access,
                           alignment);
  }
  store.erase();
  return success();
}

LogicalResult AddressedLaunch::rewriteSize(memref::DimOp size) {
  std::optional<int64_t> dimension = size.getConstantIndex();
  FailureOr<const BufferPlace *> place = placeOf(size.getSource());
  if (failed(place) || !*place)
    return success(succeeded(place));
  if (!dimension)
    return size.emitError("a size whose number is computed in a kernel");
  OpBuilder builder(size);
  size.replaceAllUsesWith(getValueOrCreateConstantIndexOp(
      builder, size.getLoc(),
      (*place)->sizes[static_cast<size_t>(*dimension)]));
  size.erase();
  return success();
}

/// Its buffer is the place without an offset, its numbers those of the place.
LogicalResult
AddressedLaunch::rewriteMetadata(memref::ExtractStridedMetadataOp op) {
  FailureOr<const BufferPlace *> found = placeOf(op.getSource());
  if (failed(found) || !*found)
    return success(succeeded(found));
  BufferPlace place = **found;
  OpBuilder builder(op);
  auto replace = [&](Value result, OpFoldResult number) {
    result.replaceAllUsesWith(
        getValueOrCreateConstantIndexOp(builder, op.getLoc(), number));
  };
  replace(op.getOffset(), place.offset);
  for (auto [result, number] : llvm::zip_equal(op.getSizes(), place.sizes))
    replace(result, number);
  for (auto [result, number] : llvm::zip_equal(op.getStrides(), place.strides))
    replace(result, number);
  place.offset = builder.getIndexAttr(0);
  place.sizes.clear();
  place.strides.clear();
  places[op.getBaseBuffer()] = std::move(place);
  return success();
}

LogicalResult AddressedLaunch::rewriteOp(Operation *op) {
  auto refuse = [&](Operation *) -> LogicalResult {
    for (Value operand : op->getOperands()) {
      if (!isa<BaseMemRefType>(operand.getType()))
        continue;
      FailureOr<const BufferPlace *> place = placeOf(operand);
      if (failed(place) || *place)
        return failed(place)
                   ? failure()
                   : op->emitError("a kernel for Vulkan can't do this with a "
                                   "buffer; it loads and stores numbers");
    }
    return success();
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::LoadOp load) { return rewriteLoad(load); })
      .Case([&](memref::StoreOp store) { return rewriteStore(store); })
      .Case([&](memref::DimOp size) { return rewriteSize(size); })
      .Case([&](memref::ExtractStridedMetadataOp metadata) {
        return rewriteMetadata(metadata);
      })
      .Case<memref::ReinterpretCastOp, memref::ViewOp, memref::CastOp>(
          [](Operation *) { return success(); })
      .Default(refuse);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// `value` in 64 bits, before the launch.
static Value toWord(OpBuilder &builder, Location loc, Value value) {
  Type word = builder.getI64Type();
  Type type = value.getType();
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, word, value);
  if (isa<FloatType>(type)) {
    type = builder.getIntegerType(type.getIntOrFloatBitWidth());
    value = arith::BitcastOp::create(builder, loc, type, value);
  }
  return type == word ? value
                      : arith::ExtUIOp::create(builder, loc, word, value);
}

/// The number of `type` that a word holds, in the kernel.
static Value fromWord(OpBuilder &builder, Location loc, Value word, Type type) {
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, word);
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (bits != word.getType())
    word = arith::TruncIOp::create(builder, loc, bits, word);
  return type == bits ? word
                      : arith::BitcastOp::create(builder, loc, type, word);
}

/// What the kernel takes from the host becomes words; constants are its own.
LogicalResult AddressedLaunch::passAsWords() {
  Region &body = launch.getBody();
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(body, captured);
  OpBuilder outside(launch);
  OpBuilder inside = OpBuilder::atBlockBegin(&body.front());
  Location loc = launch.getLoc();
  for (Value value : captured) {
    Type type = value.getType();
    bool isNumber = type.isIndex() ||
                    (type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64);
    if (!isNumber)
      return launch.emitError("a kernel for Vulkan can't be given a value of "
                              "type ")
             << type;
    bool isConstant = matchPattern(value, m_Constant());
    if (type.isInteger(64) && !isConstant)
      continue;
    Value own = isConstant
                    ? inside.clone(*value.getDefiningOp())->getResult(0)
                    : fromWord(inside, loc, toWord(outside, loc, value), type);
    replaceAllUsesInRegionWith(value, own, body);
  }
  return success();
}

LogicalResult AddressedLaunch::rewrite() {
  SmallVector<Operation *> ops;
  launch.getBody().walk<WalkOrder::PreOrder>(
      [&](Operation *op) { ops.push_back(op); });
  SmallVector<Operation *> views;
  for (Operation *op : ops) {
    if (isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp,
            memref::GetGlobalOp>(op))
      views.push_back(op);
    if (failed(rewriteOp(op)))
      return failure();
  }
  for (Operation *view : llvm::reverse(views))
    if (view->use_empty())
      view->erase();
  return passAsWords();
}

namespace {
struct LaunchByAddressPass
    : lh::impl::LaunchByAddressPassBase<LaunchByAddressPass> {
  void runOnOperation() override {
    SmallVector<gpu::LaunchOp> launches;
    getOperation().walk(
        [&](gpu::LaunchOp launch) { launches.push_back(launch); });
    if (launches.empty())
      return;
    func::FuncOp deviceAddress = declare();
    for (gpu::LaunchOp launch : launches)
      if (failed(AddressedLaunch(launch, deviceAddress).rewrite()))
        return signalPassFailure();
  }

  func::FuncOp declare() {
    ModuleOp module = getOperation();
    if (auto known = module.lookupSymbol<func::FuncOp>(deviceAddressName))
      return known;
    OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
    Type word = builder.getI64Type();
    auto function =
        func::FuncOp::create(builder, module.getLoc(), deviceAddressName,
                             builder.getFunctionType(word, word));
    function.setPrivate();
    return function;
  }
};
} // namespace
