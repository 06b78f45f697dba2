// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// transform.lh.match.kernel: which function of a kernel computes an op's value.
#include "compiler/transform/LeaveOut.h"
#include "compiler/transform/TransformOps.h"

#include "compiler/gaps/Choice.h"
#include "compiler/gaps/Marks.h"
#include "compiler/gaps/products/Epilogues.h"
#include "compiler/gaps/products/Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace lh;
using namespace mlir;

namespace {
/// What one call of a kernel's function computes.
struct KernelCall {
  func::FuncOp function;
  DictionaryAttr facts;
};

/// What the op's value is made of: a product's sums, and what follows.
struct Computed {
  /// Null where the product is cut off already, and was found fit before.
  linalg::LinalgOp product;
  std::string pattern;
  Value bias;
};
} // namespace

/// Whether signed or float operands are multiplied and added up, in the type of
/// the sums. Products of words, and sums by other functions, are none.
static bool multipliesAndAdds(linalg::LinalgOp op) {
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return llvm::all_of(op.getBlock()->without_terminator(), [&](Operation &in) {
    return isa<arith::AddFOp, arith::MulFOp, arith::AddIOp, arith::MulIOp,
               arith::ExtFOp, arith::ExtSIOp>(in) &&
           in.getResult(0).getType() == sum;
  });
}

/// A product of matrices that begins at zeros; null for any other value.
static linalg::LinalgOp productOf(Operation *op) {
  auto product = dyn_cast_or_null<linalg::LinalgOp>(op);
  return product && isProduct(product) && multipliesAndAdds(product) &&
                 product.getNumLoops() == 3 &&
                 product.getNumReductionLoops() == 1 &&
                 isZeros(product.getDpsInits()[0])
             ? product
             : nullptr;
}

static bool isCutOff(Operation *op) {
  return isa_and_nonnull<linalg::UnPackOp>(op);
}

/// Whether a slice keeps the innermost dimension, and each number of it.
static bool keepsRows(tensor::ExtractSliceOp slice) {
  auto innermost = static_cast<unsigned>(slice.getSourceType().getRank() - 1);
  return slice.getStaticStrides().back() == 1 &&
         !slice.getDroppedDims().test(innermost);
}

/// Whether the value's buffer will have rows of numbers side by side, which
/// kernels ask for: bufferization can't allocate what it would have to copy to
/// such a buffer. What a loop carries may lie in any way.
static bool liesInRows(Value value) {
  bool isReshaped = false;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<tensor::EmptyOp, tensor::PadOp, arith::ConstantOp,
            bufferization::AllocTensorOp>(op))
      return true;
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      if (isReshaped || !keepsRows(slice))
        return false;
      value = slice.getSource();
    } else if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
      isReshaped = true;
      value = op->getOperand(0);
    } else if (isa<tensor::CastOp>(op)) {
      value = op->getOperand(0);
    } else if (auto loop = dyn_cast<scf::ForallOp>(op)) {
      value = loop.getOutputs()[cast<OpResult>(value).getResultNumber()];
    } else if (auto written = dyn_cast<DestinationStyleOpInterface>(op)) {
      // In place, in memory that is laid out as its destination's.
      value = written.getTiedOpOperand(cast<OpResult>(value))->get();
    } else {
      return false;
    }
  }
  Operation *owner = cast<BlockArgument>(value).getOwner()->getParentOp();
  return isa<FunctionOpInterface, scf::ForallOp>(owner);
}

/// What an elementwise op makes of the one input that is a product's sums.
static std::optional<Computed> computedFrom(linalg::GenericOp op) {
  for (auto [i, input] : llvm::enumerate(op.getDpsInputs())) {
    linalg::LinalgOp product = productOf(input.getDefiningOp());
    if (!product && !isCutOff(input.getDefiningOp()))
      continue;
    auto epilogue = epilogueOf(op, static_cast<unsigned>(i));
    if (epilogue && (!epilogue->bias || liesInRows(epilogue->bias)))
      return Computed{product, "product-" + epilogue->name, epilogue->bias};
  }
  return std::nullopt;
}

static std::optional<Computed> computedBy(Operation *op) {
  if (isCutOff(op))
    return Computed{nullptr, "product", {}};
  if (linalg::LinalgOp product = productOf(op))
    return Computed{product, "product", {}};
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic ? computedFrom(generic) : std::nullopt;
}

/// The loops of rows, columns and the sum, where A is read along rows.
static std::optional<std::array<unsigned, 3>>
loopsOf(linalg::LinalgOp product) {
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(product);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1)
    return std::nullopt;
  std::array<unsigned, 3> loops{dims->m[0], dims->n[0], dims->k[0]};
  MLIRContext *context = product.getContext();
  auto read = [&](unsigned first, unsigned second) {
    return AffineMap::get(
        3, 0,
        {getAffineDimExpr(first, context), getAffineDimExpr(second, context)},
        context);
  };
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  bool fits = maps[0] == read(loops[0], loops[2]) &&
              maps[2] == read(loops[0], loops[1]) &&
              (maps[1] == read(loops[2], loops[1]) ||
               maps[1] == read(loops[1], loops[2]));
  return fits ? std::optional(loops) : std::nullopt;
}

static bool hasTypes(linalg::LinalgOp product, ArrayAttr types) {
  return llvm::all_of(llvm::zip_equal(product->getOperands(), types),
                      [](auto pair) {
                        auto [operand, type] = pair;
                        return getElementTypeOrSelf(operand.getType()) ==
                               cast<TypeAttr>(type).getValue();
                      });
}

/// Whether every call that the product is cut into is one that the kernel
/// takes.
static bool fits(const KernelCall &call, linalg::LinalgOp product) {
  auto loops = loopsOf(product);
  auto types = call.facts.getAs<ArrayAttr>("types");
  auto multiples = call.facts.getAs<DenseI64ArrayAttr>("multiples");
  if (!loops || !types || !multiples || !hasTypes(product, types) ||
      !liesInRows(product->getOperand(0)))
    return false;
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  for (auto [loop, multiple] :
       llvm::zip_equal(*loops, multiples.asArrayRef())) {
    bool isOpen = ShapedType::isDynamic(sizes[loop]);
    if (isOpen ? loop != (*loops)[0] || multiple != 1
               : sizes[loop] == 0 || sizes[loop] % multiple != 0)
      return false;
  }
  auto terms = call.facts.getAs<IntegerAttr>("terms");
  return !terms || sizes[(*loops)[2]] <= terms.getInt();
}

/// Whether another kernel is chosen for the op.
static bool isAnothers(Operation *op, StringRef kernel) {
  auto name = dyn_cast_or_null<StringAttr>(chosen(op, "kernel"));
  return name && name != kernel;
}

/// The function of the kernel in the module that computes this.
static std::optional<KernelCall> callFor(const Computed &computed,
                                         StringRef kernel, ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    KernelCall call{function,
                    function->getAttrOfType<DictionaryAttr>(kernelCallMark)};
    auto pattern =
        call.facts ? call.facts.getAs<StringAttr>("computes") : StringAttr();
    if (pattern && call.facts.getAs<StringAttr>("name") == kernel &&
        pattern == computed.pattern &&
        (!computed.product || fits(call, computed.product)))
      return call;
  }
  return std::nullopt;
}

DiagnosedSilenceableFailure
MatchKernelOp::matchOperation(Operation *current,
                              transform::TransformResults &results,
                              transform::TransformState &) {
  std::optional<Computed> computed = computedBy(current);
  if (!computed)
    return emitSilenceableError() << "nothing that kernels compute";
  if (isAnothers(current, getKernel()))
    return emitSilenceableError() << "another kernel's";
  auto call =
      callFor(*computed, getKernel(), current->getParentOfType<ModuleOp>());
  if (!call)
    return emitSilenceableError() << "no kernel for it";
  if (isLeftOut(*this))
    return emitSilenceableError() << "this matcher is left out";
  results.set(cast<OpResult>(getFunction()),
              ArrayRef<Operation *>{call->function});
  SmallVector<Value> bias;
  if (computed->bias)
    bias.push_back(computed->bias);
  results.setValues(cast<OpResult>(getBias()), bias);
  return DiagnosedSilenceableFailure::success();
}
