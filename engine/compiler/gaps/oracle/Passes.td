// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic oracle.
#ifndef LH_COMPILER_GAPS_ORACLE_PASSES_TD
#define LH_COMPILER_GAPS_ORACLE_PASSES_TD

include "compiler/gaps/GapPass.td"

def DecomposeAggregatesPass
    : Pass<"lh-decompose-aggregates", "::mlir::ModuleOp"> {
  let summary = "Takes softmax, packs and other aggregate ops apart";
  let description = [{
    Replaces each op that stands for several others by those: `linalg.softmax`
    and all that implement `AggregatedOpInterface`, `linalg.pack` and
    `linalg.unpack`.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ErrorBoundsPass : Pass<"lh-error-bounds", "::mlir::ModuleOp"> {
  let summary =
    "Adds to each result of @main how far a correct implementation may be off";
  let description = [{
    Adds to each float result `N` of `@main` (and to integers that rounding
    reaches) a result `N#bound` of f64, the largest error that a correct
    implementation of the same types may have there. Linalg ops become generic
    ops that compute values and errors side by side; ops that move data are
    repeated on the errors. [numerics](../numerics.md) has the rules and the
    options. Where there is no bound the module stays as it is but for
    `lh.unbounded = "why"`.

    Runs on tensors, before `lh-widen`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"mathUlp", "math-ulp", "double", "1.0",
      "error allowed to math functions">,
    GapOption<"proof", "proof", "bool", "false",
      "the worst case of sums">,
    GapOption<"flushToZero", "flush-to-zero", "bool", "false",
      "the target has no denormals">,
    GapOption<"winogradTile", "winograd-m", "unsigned", "0",
      "output tile of Winograd's convolution, 0 for none">,
    GapOption<"winogradWindow", "winograd-r", "unsigned", "0",
      "window of Winograd's convolution">,
    GapOption<"operands", "operands", "std::string", "\"\"",
      "type that factors are rounded to: bfloat16, float16 or tf32">,
    GapOption<"maxDepth", "max-depth", "unsigned", "4",
      "longest chain of sums that has bounds">
  ];
}

def ExposeScoresPass : Pass<"lh-expose-scores", "::mlir::ModuleOp"> {
  let summary = "Returns what positions were picked by, beside the positions";
  let description = [{
    Follows each result of a public function back through reshapes to an
    operation with `lh.picks = <axis>`, which the importer sets on what it makes
    of ArgMax, ArgMin and TopK, and appends what that operation compares (a
    linalg operation's first input, the one tensor that a loop reads elements
    of) as a result named `<result>#scores<axis>`. Scores that are no floats are
    left out: integers pick alike everywhere. A result that is the first rows of
    what a loop with `lh.selects` made (NonMaxSuppression with constant limits)
    gets three: `<result>#selects-scores` and `-boxes`, the two float tensors
    that the loop reads, in the order in which it does, and `-rules`, the
    attribute's numbers: boxes per class, limits of overlap and score, and
    whether boxes are given by their centres.

    Runs as imported.
  }];
}

def WidenPass : Pass<"lh-widen", "::mlir::ModuleOp"> {
  let summary = "Computes all floating-point values in f64";
  let description = [{
    Retypes every float value narrower than f64 (scalars, tensors, vectors,
    function results, loop and block arguments, constants) in place. Entry
    functions keep their argument types and extend at entry; functions called
    from within are retyped whole. Casts between float types disappear, except
    those that the importer marked as the model's own (`lh.cast` on
    `arith.truncf`): these stay as a rounding to the narrow type and back.
    Reading a narrow float's bits (`arith.bitcast`) rounds to the narrow type
    first; doing so to a whole tensor (`tensor.bitcast`), buffers, and bodiless
    functions with floats are errors.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // LH_COMPILER_GAPS_ORACLE_PASSES_TD
