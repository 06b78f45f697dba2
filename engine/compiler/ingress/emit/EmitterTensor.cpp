// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as a whole: sizes, constants, slices, padding, concatenation.
#include "compiler/ingress/emit/Emitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace lh;
using namespace mlir;

RankedTensorType lh::tensorTypeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

int64_t lh::rankOf(Value tensor) { return tensorTypeOf(tensor).getRank(); }

std::string lh::shapeText(Value tensor) {
  return sizesText(tensorTypeOf(tensor).getShape());
}

std::string lh::sizesText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape) {
    text += text.empty() ? "" : "x";
    text += ShapedType::isDynamic(size) ? "?" : std::to_string(size);
  }
  return text.empty() ? "scalar" : text;
}

int64_t lh::wholeNumber(double number) {
  llvm::APSInt whole(64, /*isUnsigned=*/false);
  bool isExact = false;
  APFloat(number).convertToInteger(whole, APFloat::rmTowardZero, &isExact);
  return whole.getExtValue();
}

Sizes Emitter::sizesOf(Value tensor) {
  // Asked for inside a loop or not: the sizes hold wherever the tensor does.
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(tensor);
  RankedTensorType type = tensorTypeOf(tensor);
  auto found = knownSizes.find(tensor);
  Sizes sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(static_cast<unsigned>(dim)))
      sizes.push_back(index(type.getDimSize(static_cast<unsigned>(dim))));
    else if (found != knownSizes.end())
      sizes.push_back(found->second[static_cast<size_t>(dim)]);
    else
      sizes.push_back(Value(tensor::DimOp::create(builder, loc, tensor, dim)));
  }
  if (found == knownSizes.end())
    remember(tensor, sizes);
  return sizes;
}

bool Emitter::isTensorSize(OpFoldResult size) const {
  auto value = dyn_cast<Value>(size);
  return value && value.getDefiningOp<tensor::DimOp>();
}

Value Emitter::remember(Value tensor, ArrayRef<OpFoldResult> sizes) {
  knownSizes[tensor] = Sizes(sizes.begin(), sizes.end());
  if (!regions.empty())
    regions.back().push_back(tensor);
  return tensor;
}

Emitter::RegionScope::RegionScope(Emitter &emit)
    : emit(emit), guard(emit.builder) {
  emit.regions.emplace_back();
}

Emitter::RegionScope::~RegionScope() {
  for (Value tensor : emit.regions.back())
    emit.knownSizes.erase(tensor);
  emit.regions.pop_back();
}

Sizes Emitter::staticSizes(ArrayRef<int64_t> shape) const {
  Sizes sizes;
  for (int64_t size : shape)
    sizes.push_back(index(size));
  return sizes;
}

Value Emitter::empty(ArrayRef<OpFoldResult> sizes, Type element) {
  // Values that turn out to be constants become part of the type.
  Sizes folded;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> value = known(size);
    folded.push_back(value ? index(*value) : size);
  }
  return remember(tensor::EmptyOp::create(builder, loc, folded, element),
                  folded);
}

Value Emitter::constant(ArrayRef<int64_t> shape, ArrayRef<double> values,
                        DType dtype) {
  Type element = elementTypeOf(dtype, builder.getContext());
  SmallVector<Attribute> attributes;
  for (double value : values) {
    if (isFloat(dtype))
      attributes.push_back(builder.getFloatAttr(element, value));
    else if (isSmallFloat(dtype))
      attributes.push_back(
          builder.getIntegerAttr(element, encodeSmallFloat(dtype, value)));
    else
      attributes.push_back(
          builder.getIntegerAttr(element, wholeNumber(value)));
  }
  auto type = RankedTensorType::get(shape, element);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, attributes));
}

Value lh::extractElement(OpBuilder &b, Location loc, Value tensor,
                         ValueRange indices) {
  return tensor::ExtractOp::create(b, loc, tensor, indices);
}

Value Emitter::extract(Value tensor, ValueRange indices) {
  return tensor::ExtractOp::create(builder, loc, tensor, indices);
}

Value Emitter::scalarOf(Value tensor) {
  SmallVector<Value> zeros(static_cast<size_t>(rankOf(tensor)));
  for (Value &zero : zeros)
    zero = indexConstant(builder, loc, 0);
  return extract(tensor, zeros);
}

Value Emitter::castTo(Value tensor, RankedTensorType type) {
  if (tensor.getType() == type)
    return tensor;
  Sizes sizes = sizesOf(tensor);
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (type.isDynamicDim(static_cast<unsigned>(dim)))
      continue;
    OpFoldResult &size = sizes[static_cast<size_t>(dim)];
    int64_t wanted = type.getDimSize(static_cast<unsigned>(dim));
    requireSame(size, index(wanted),
                "dimension " + Twine(dim) + " is not " + Twine(wanted));
    size = index(wanted);
  }
  return remember(tensor::CastOp::create(builder, loc, type, tensor), sizes);
}

Value Emitter::pad(Value tensor, Sizes low, Sizes high, Value scalar) {
  Sizes sizes = sizesOf(tensor);
  bool padsNothing = true;
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    sizes[dim] = add(add(sizes[dim], low[dim]), high[dim]);
    padsNothing &= known(low[dim]) == 0 && known(high[dim]) == 0;
  }
  if (padsNothing)
    return tensor;
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(known(size).value_or(ShapedType::kDynamic));
  auto type =
      RankedTensorType::get(shape, tensorTypeOf(tensor).getElementType());
  return remember(
      tensor::PadOp::create(builder, loc, type, tensor, low, high, scalar),
      sizes);
}

Value Emitter::slice(Value tensor, Sizes offsets, Sizes sizes, Sizes strides) {
  // Of nothing there is no valid offset to slice at.
  if (llvm::is_contained(tensorTypeOf(tensor).getShape(), 0))
    return empty(sizes, tensorTypeOf(tensor).getElementType());
  return remember(tensor::ExtractSliceOp::create(builder, loc, tensor, offsets,
                                                 sizes, strides),
                  sizes);
}

Value Emitter::concat(int64_t axis, ArrayRef<Value> tensors) {
  if (tensors.size() == 1)
    return tensors.front();
  auto position = static_cast<size_t>(axis);
  Sizes sizes = sizesOf(tensors.front());
  for (Value tensor : tensors.drop_front()) {
    Sizes others = sizesOf(tensor);
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      if (dim == position) {
        sizes[dim] = add(sizes[dim], others[dim]);
        continue;
      }
      requireSame(sizes[dim], others[dim],
                  "its inputs differ in dimension " + Twine(dim));
      if (!known(sizes[dim]))
        sizes[dim] = others[dim];
    }
  }
  // A part of nothing would start at the end, which no subview may.
  auto isSome = [&](Value tensor) {
    return llvm::all_of(sizesOf(tensor),
                        [&](OpFoldResult size) { return known(size) != 0; });
  };
  SmallVector<Value> parts = llvm::filter_to_vector(tensors, isSome);
  if (parts.empty())
    return empty(sizes, tensorTypeOf(tensors.front()).getElementType());
  if (parts.size() == 1)
    return parts.front();
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(known(size).value_or(ShapedType::kDynamic));
  auto type = RankedTensorType::get(
      shape, tensorTypeOf(tensors.front()).getElementType());
  Value result = tensor::ConcatOp::create(
      builder, loc, type, builder.getI64IntegerAttr(axis), parts);
  return remember(result, sizes);
}

Value Emitter::fromElements(ArrayRef<OpFoldResult> elements, bool isScalar,
                            DType dtype) {
  Type element = elementTypeOf(dtype, builder.getContext());
  SmallVector<int64_t> shape;
  if (!isScalar)
    shape.push_back(static_cast<int64_t>(elements.size()));
  auto type = RankedTensorType::get(shape, element);
  bool isConstant = llvm::all_of(
      elements, [&](OpFoldResult value) { return known(value).has_value(); });
  if (isConstant) {
    SmallVector<Attribute> values;
    unsigned width = element.getIntOrFloatBitWidth();
    for (OpFoldResult value : elements)
      values.push_back(builder.getIntegerAttr(
          element,
          APInt(64, static_cast<uint64_t>(*known(value))).trunc(width)));
    return arith::ConstantOp::create(builder, loc,
                                     DenseElementsAttr::get(type, values));
  }
  SmallVector<Value> values;
  for (OpFoldResult value : elements)
    values.push_back(fromIndex(builder, loc, asValue(value), dtype));
  return tensor::FromElementsOp::create(builder, loc, type, values);
}
