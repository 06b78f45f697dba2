// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Padded images and concatenations of channels, whose pieces are computed, or
// copied, where they belong.
#include "compiler/gaps/TensorBuilder.h"
#include "compiler/gaps/windows/Assembly.h"
#include "compiler/gaps/windows/Destinations.h"
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
// Borders
//===----------------------------------------------------------------------===//

namespace {
/// Writes a padded image as a loop over rows: each writes its border and copies
/// what is inside. Bufferization fills all of it and copies over it.
class BorderWriter {
public:
  explicit BorderWriter(PaddedImage image)
      : image(image), builder(image.pad), tensors(builder, image.pad.getLoc()) {
  }

  void run() {
    RankedTensorType type = image.pad.getResultType();
    int64_t channels = type.getDimSize(2),
            width = type.getDimSize(1) * channels, left = image.left * channels,
            inside = image.width * channels;
    SmallVector<ReassociationIndices> lines = {{0}, {1, 2}};
    Value pixels = tensors.collapsed(image.pad.getSource(), lines);
    Value padded =
        tensors.empty({type.getDimSize(0), width}, type.getElementType());
    padded = fill(padded, number(0), image.top, 0, width);
    padded =
        fill(padded, number(image.top + image.height), image.bottom, 0, width);
    Value height = tensors.index(image.height);
    padded = tensors.loop(height, padded, [&](Value line, Value rows) {
      OpFoldResult row = affine::makeComposedFoldedAffineApply(
          builder, line.getLoc(), builder.getAffineDimExpr(0) + image.top,
          {line});
      rows = fill(rows, row, 1, 0, left);
      Value own =
          tensors.slice(pixels, {line, number(0)}, {number(1), number(inside)});
      rows = tensors.changed(rows, {row, number(left)},
                             {number(1), number(inside)}, [&](Value slice) {
                               return linalg::CopyOp::create(
                                          builder, line.getLoc(), own, slice)
                                   .getResult(0);
                             });
      return fill(rows, row, 1, left + inside, width - left - inside);
    });
    image.pad.replaceAllUsesWith(
        tensor::ExpandShapeOp::create(builder, image.pad.getLoc(), type, padded,
                                      lines)
            .getResult());
    image.pad.erase();
  }

private:
  OpFoldResult number(int64_t value) { return builder.getIndexAttr(value); }

  Value fill(Value padded, OpFoldResult row, int64_t count, int64_t from,
             int64_t size) {
    if (count == 0 || size == 0)
      return padded;
    return tensors.changed(
        padded, {row, number(from)}, {number(count), number(size)},
        [&](Value slice) { return tensors.filled(slice, image.value); });
  }

  PaddedImage image;
  OpBuilder builder;
  TensorBuilder tensors;
};
} // namespace

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

namespace {
/// A part of a concatenation, as a matrix of pixels by channels.
struct Part {
  Value source;
  int64_t first; ///< of its channels in the whole
  /// Null where it isn't computed here, or is needed by others.
  OpOperand *destination;
};

/// Has the parts of a concatenation of channels computed one after the other in
/// their columns of the whole.
class Joiner {
public:
  explicit Joiner(tensor::ConcatOp concat)
      : concat(concat), builder(concat), tensors(builder, concat.getLoc()),
        type(concat.getResultType()),
        pixels(type.getNumElements() / type.getShape().back()) {}

  void run() {
    SmallVector<Part> parts = partsInOrder();
    if (llvm::none_of(parts, [](const Part &part) { return part.destination; }))
      return;
    builder.setInsertionPoint(parts.front().destination->getOwner());
    Value whole =
        tensors.empty({pixels, type.getShape().back()}, type.getElementType());
    for (const Part &part : parts)
      whole = insert(part, whole);
    builder.setInsertionPoint(concat);
    concat.replaceAllUsesWith(
        tensor::ExpandShapeOp::create(builder, concat.getLoc(), type, whole,
                                      matrixOf(type))
            .getResult());
    concat.erase();
  }

private:
  /// All dimensions but the last one are pixels.
  static SmallVector<ReassociationIndices> matrixOf(RankedTensorType type) {
    int64_t last = type.getRank() - 1;
    return {llvm::to_vector<2>(llvm::seq<int64_t>(0, last)), {last}};
  }

  Part partOf(Value input, int64_t first) {
    auto shaped = input.getDefiningOp<tensor::ExpandShapeOp>();
    if (!shaped || shaped.getSrcType().getRank() != 2 ||
        shaped.getReassociationIndices() != matrixOf(shaped.getResultType()))
      return {input, first, nullptr};
    Value source = shaped.getSrc();
    bool isOwn = input.hasOneUse() && source.hasOneUse();
    return {source, first,
            isOwn ? destinationOf(source, concat->getBlock()) : nullptr};
  }

  /// Those that can be computed in their places, one after the other, and then
  /// those that are copied there.
  SmallVector<Part> partsInOrder() {
    SmallVector<Part> own, copied;
    int64_t first = 0;
    for (Value input : concat.getInputs()) {
      Part part = partOf(input, first);
      first += cast<RankedTensorType>(input.getType()).getShape().back();
      (part.destination ? own : copied).push_back(part);
    }
    llvm::sort(own, [](const Part &a, const Part &b) {
      return a.destination->getOwner()->isBeforeInBlock(
          b.destination->getOwner());
    });
    SmallVector<Part> parts;
    for (Part &part : own) {
      // Its place is a slice of the whole with the ones before it.
      if (parts.empty() || parts.back().source.getDefiningOp()->isBeforeInBlock(
                               part.destination->getOwner())) {
        parts.push_back(part);
        continue;
      }
      part.destination = nullptr;
      copied.push_back(part);
    }
    parts.append(copied);
    return parts;
  }

  Value insert(const Part &part, Value whole) {
    Value source = part.source;
    auto from = cast<RankedTensorType>(source.getType());
    if (!part.destination)
      builder.setInsertionPoint(concat);
    if (from.getRank() != 2)
      source = tensors.collapsed(source, matrixOf(from));
    SmallVector<OpFoldResult> offsets = tensors.numbers({0, part.first}),
                              sizes = tensors.numbers(
                                  {pixels, from.getShape().back()});
    if (part.destination) {
      builder.setInsertionPoint(part.destination->getOwner());
      computeInto(*part.destination, tensors.slice(whole, offsets, sizes));
      builder.setInsertionPointAfter(source.getDefiningOp());
    }
    return tensors.inserted(source, whole, offsets, sizes);
  }

  tensor::ConcatOp concat;
  OpBuilder builder;
  TensorBuilder tensors;
  RankedTensorType type;
  int64_t pixels;
};
} // namespace

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
    SmallVector<tensor::ConcatOp> concats;
    getOperation()->walk([&](Operation *op) {
      if (auto pad = dyn_cast<tensor::PadOp>(op))
        pads.push_back(pad);
      else if (auto concat = dyn_cast<tensor::ConcatOp>(op);
               concat && joinsChannels(concat))
        concats.push_back(concat);
    });
    llvm::erase_if(
        pads, [&](tensor::PadOp pad) { return clipWindows(pad, mostCopies); });
    for (tensor::ConcatOp concat : concats)
      Joiner(concat).run();
    for (tensor::PadOp pad : pads)
      if (std::optional<PaddedImage> image = paddedImage(pad, 3))
        BorderWriter(*image).run();
  }
};
} // namespace
