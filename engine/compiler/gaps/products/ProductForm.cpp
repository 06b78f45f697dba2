// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a linalg op multiplies, in roles of loops.
#include "compiler/gaps/products/ProductForm.h"

#include "compiler/gaps/Marks.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace lh;
using namespace mlir;

using LoopsByRole = std::array<SmallVector<unsigned, 2>, roleLetters.size()>;

static std::optional<LoopsByRole> loopsOfContraction(linalg::LinalgOp op) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims))
    return std::nullopt;
  return LoopsByRole{dims->batch, dims->m, dims->n, dims->k};
}

/// Of the sum the window's loops first, then channels.
static std::optional<LoopsByRole> loopsOfConvolution(linalg::LinalgOp op) {
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(op);
  if (failed(dims))
    return std::nullopt;
  LoopsByRole loops{dims->depth, dims->batch, dims->outputChannel,
                    dims->filterLoop};
  llvm::append_range(loops[1], dims->outputImage);
  llvm::append_range(loops[3], dims->inputChannel);
  return loops;
}

std::optional<ProductRoles> lh::rolesOf(linalg::LinalgOp op, bool windows) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return std::nullopt;
  std::optional<LoopsByRole> byRole =
      windows ? loopsOfConvolution(op) : loopsOfContraction(op);
  if (!byRole)
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  ProductRoles roles;
  roles.loops.assign(ranges.size(), '?');
  for (auto [letter, loops, sizes] :
       llvm::zip_equal(roleLetters, *byRole, roles.sizes))
    for (unsigned loop : loops) {
      roles.loops[loop] = letter;
      sizes.push_back(ranges[loop]);
    }
  return roles;
}

ProductShape lh::shapeOf(linalg::LinalgOp product, const ProductRoles &roles,
                         bool windows) {
  ProductShape shape;
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  for (auto [i, letter, size] : llvm::enumerate(roles.loops, ranges)) {
    StringRef rest = StringRef(roles.loops).drop_front(i + 1);
    bool hasOther = letter == 'b' || rest.contains(letter) ||
                    StringRef(shape.loops).contains(letter);
    if (!windows && size == 1 && hasOther)
      continue;
    shape.loops += letter;
    shape.sizes.push_back(ShapedType::isDynamic(size) ? -1 : size);
  }
  return shape;
}

SmallVector<Type> lh::elementTypesOf(linalg::LinalgOp product) {
  return {getElementTypeOrSelf(product->getOperand(0).getType()),
          getElementTypeOrSelf(product->getOperand(1).getType()),
          getElementTypeOrSelf(product->getOperand(2).getType())};
}

SmallVector<int64_t> lh::stepsOf(linalg::LinalgOp convolution) {
  SmallVector<int64_t> steps;
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(convolution);
  if (succeeded(dims)) {
    llvm::append_range(steps, dims->strides);
    llvm::append_range(steps, dims->dilations);
  }
  return steps;
}

static bool comesFromWeights(Value value,
                             llvm::SmallPtrSetImpl<Operation *> &seen) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function =
        dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    return function && function.getArgAttr(argument.getArgNumber(), weightMark);
  }
  Operation *op = value.getDefiningOp();
  return !seen.insert(op).second ||
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return comesFromWeights(operand, seen);
         });
}

bool lh::comesFromWeights(Value value) {
  llvm::SmallPtrSet<Operation *, 8> seen;
  return ::comesFromWeights(value, seen);
}
