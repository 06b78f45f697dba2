// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padded images and concatenations of channels, whose pieces are computed, or
// copied, where they belong.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/windows/Assembly.h"
#include "compiler/gaps/windows/PaddedImage.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace lh {
#define GEN_PASS_DECL_ASSEMBLEPASS
#define GEN_PASS_DEF_ASSEMBLEPASS
#include "compiler/gaps/windows/Passes.h.inc"
} // namespace lh

using namespace lh;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

OpOperand *lh::destinationOf(Value value, Block *block) {
  for (;;) {
    auto result = dyn_cast<OpResult>(value);
    Operation *op = result ? result.getOwner() : nullptr;
    OpOperand *next = nullptr;
    if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
      next = loop.getTiedLoopInit(result);
    else if (auto loop = dyn_cast_or_null<scf::ForallOp>(op))
      next = loop.getTiedOpOperand(result);
    else if (isa_and_nonnull<tensor::CastOp>(op))
      next = &op->getOpOperand(0);
    else if (auto into = dyn_cast_or_null<DestinationStyleOpInterface>(op))
      next = into.getTiedOpOperand(result);
    if (!next)
      return nullptr;
    value = next->get();
    // Memory that nobody has written to.
    auto other = value.getDefiningOp<tensor::CastOp>();
    if ((other ? other.getSource() : value).getDefiningOp<tensor::EmptyOp>())
      return op->getBlock() == block ? next : nullptr;
  }
}

void lh::computeInto(OpOperand &destination, Value place) {
  Type asked = destination.get().getType();
  if (place.getType() != asked) {
    OpBuilder builder(destination.getOwner());
    place = tensor::CastOp::create(builder, place.getLoc(), asked, place);
  }
  destination.set(place);
}

//===----------------------------------------------------------------------===//
// Borders
//===----------------------------------------------------------------------===//

/// Writes a padded image as a loop over rows: each writes its border and copies
/// what is inside. Bufferization fills all of it and copies over it.
static void writeRows(const PaddedImage &image) {
  tensor::PadOp pad = image.pad;
  IRRewriter builder(pad);
  TensorBuilder tensors(builder, pad.getLoc());
  RankedTensorType type = pad.getResultType();
  int64_t channels = type.getDimSize(2), width = type.getDimSize(1) * channels,
          left = image.left * channels, inside = image.width * channels;
  auto number = [&](int64_t value) -> OpFoldResult {
    return builder.getIndexAttr(value);
  };
  auto fill = [&](Value rows, OpFoldResult row, int64_t count, int64_t from,
                  int64_t size) {
    return tensors.filled(rows, image.value, {row, number(from)},
                          {number(count), number(size)});
  };
  SmallVector<ReassociationIndices> lines = {{0}, {1, 2}};
  Value pixels = tensors.collapsed(pad.getSource(), lines);
  Value padded =
      tensors.empty({type.getDimSize(0), width}, type.getElementType());
  padded = fill(padded, number(0), image.top, 0, width);
  padded =
      fill(padded, number(image.top + image.height), image.bottom, 0, width);
  Value height = tensors.index(image.height);
  padded = tensors.loop(height, padded, [&](Value line, Value rows) {
    Value row = tensors.apply(builder.getAffineDimExpr(0) + image.top, line);
    rows = fill(rows, row, 1, 0, left);
    Value own =
        tensors.slice(pixels, {line, number(0)}, {number(1), number(inside)});
    rows = tensors.changed(rows, {row, number(left)},
                           {number(1), number(inside)}, [&](Value slice) {
                             return linalg::CopyOp::create(
                                        builder, pad.getLoc(), own, slice)
                                 .getResult(0);
                           });
    return fill(rows, row, 1, left + inside, width - left - inside);
  });
  builder.replaceOpWithNewOp<tensor::ExpandShapeOp>(pad, type, padded, lines);
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

namespace {
/// A part of a concatenation, maybe as a matrix of pixels by channels.
struct Part {
  Value source;
  int64_t first; ///< of its channels in the whole
  /// Null where it isn't computed here, or is needed by others.
  OpOperand *destination;
};
} // namespace

static Part partOf(Value input, int64_t first, Block *block) {
  auto shaped = input.getDefiningOp<tensor::ExpandShapeOp>();
  if (!shaped || shaped.getSrcType().getRank() != 2 ||
      shaped.getReassociationIndices() != rowsOf(shaped))
    return {input, first, nullptr};
  Value source = shaped.getSrc();
  bool isOwn = input.hasOneUse() && source.hasOneUse();
  return {source, first, isOwn ? destinationOf(source, block) : nullptr};
}

/// By when they are computed, and then those that aren't computed here. What
/// can't be computed in its place, after the one before it, is copied there.
static SmallVector<Part> partsInOrder(tensor::ConcatOp concat) {
  SmallVector<Part> parts;
  int64_t first = 0;
  for (Value input : concat.getInputs()) {
    parts.push_back(partOf(input, first, concat->getBlock()));
    first += typeOf(input).getShape().back();
  }
  llvm::stable_sort(parts, [](const Part &a, const Part &b) {
    return a.destination &&
           (!b.destination || a.destination->getOwner()->isBeforeInBlock(
                                  b.destination->getOwner()));
  });
  Operation *before = nullptr;
  for (Part &part : parts)
    if (part.destination && before &&
        !before->isBeforeInBlock(part.destination->getOwner()))
      part.destination = nullptr;
    else if (part.destination)
      before = part.source.getDefiningOp();
  std::stable_partition(parts.begin(), parts.end(),
                        [](const Part &part) { return part.destination; });
  return parts;
}

/// Has the parts of a concatenation of channels computed one after the other in
/// their columns of the whole.
static void join(tensor::ConcatOp concat) {
  SmallVector<Part> parts = partsInOrder(concat);
  if (!parts.front().destination)
    return;
  IRRewriter builder(parts.front().destination->getOwner());
  TensorBuilder tensors(builder, concat.getLoc());
  RankedTensorType type = concat.getResultType();
  int64_t channels = type.getShape().back(),
          pixels = type.getNumElements() / channels;
  Value whole = tensors.empty({pixels, channels}, type.getElementType());
  for (auto [source, first, destination] : parts) {
    auto from = typeOf(source);
    SmallVector<OpFoldResult> offsets = tensors.numbers({0, first}),
                              sizes = tensors.numbers(
                                  {pixels, from.getShape().back()});
    builder.setInsertionPoint(concat);
    if (from.getRank() != 2)
      source = tensors.collapsed(source, rowsOf(source));
    if (destination) {
      builder.setInsertionPoint(destination->getOwner());
      computeInto(*destination, tensors.slice(whole, offsets, sizes));
      builder.setInsertionPointAfter(source.getDefiningOp());
    }
    whole = tensors.inserted(source, whole, offsets, sizes);
  }
  builder.setInsertionPoint(concat);
  builder.replaceOpWithNewOp<tensor::ExpandShapeOp>(concat, type, whole,
                                                    rowsOf(concat));
}

/// A concatenation of channels, of known size.
static bool joinsChannels(tensor::ConcatOp concat) {
  RankedTensorType type = concat.getResultType();
  return type.hasStaticShape() && type.getNumElements() > 0 &&
         type.getRank() > 1 &&
         static_cast<int64_t>(concat.getDim()) + 1 == type.getRank();
}

namespace {
struct AssemblePass : lh::impl::AssemblePassBase<AssemblePass> {
  using Base::Base;

  void runOnOperation() override {
    SmallVector<tensor::PadOp> pads;
    getOperation()->walk([&](tensor::PadOp pad) { pads.push_back(pad); });
    llvm::erase_if(
        pads, [&](tensor::PadOp pad) { return clipWindows(pad, mostCopies); });
    getOperation()->walk([](tensor::ConcatOp concat) {
      if (joinsChannels(concat))
        join(concat);
    });
    for (tensor::PadOp pad : pads)
      if (std::optional<PaddedImage> image = paddedImage(pad, 3))
        writeRows(*image);
  }
};
} // namespace
