// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic upstream-fixes.
#ifndef LH_COMPILER_GAPS_UPSTREAM_FIXES_PASSES_TD
#define LH_COMPILER_GAPS_UPSTREAM_FIXES_PASSES_TD

include "compiler/gaps/GapPass.td"

def CallLoweringsPass : Pass<"lh-call-lowerings", "::mlir::ModuleOp"> {
  let summary = "Replaces operations by calls of functions of their names";
  let description = [{
    Each operation `toy.scale_add` for which the module has a function
    `@"toy.scale_add"` becomes a call of it. Tensors and memrefs are cast to the
    function's types, and its results to the operation's: a function on
    `tensor<?x?xf32>` serves all sizes. Arguments with `lh.attribute = "scale"`,
    which come last, are constants: the operation's attributes of these names.
    What doesn't fit is an error at the operation, as is an operation with
    regions. In the function itself operations of its name stay.

    `inline`, `canonicalize` and `symbol-dce` do the rest; sizes are static again
    behind them.

    Runs on tensors or memrefs, first of all.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def ForwardMaskedPass : Pass<"lh-forward-masked"> {
  let summary = "Keeps in a register what is written and read under one mask";
  let description = [{
    A `vector.transfer_read` of what a `vector.transfer_write` wrote under the
    same mask becomes that vector.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerReshapesPass : Pass<"lh-lower-reshapes"> {
  let summary = "Lowers memref.expand_shape and memref.collapse_shape";
  let description = [{
    Replaces `memref.expand_shape` by a `memref.reinterpret_cast` of the same
    memory: sizes from `output_shape`, strides from the source's by multiplying.
    `memref.collapse_shape` too, where all sizes and strides are known.
    `expand-strided-metadata` can't where several sizes of one group are dynamic,
    and `fold-memref-alias-ops` reads vectors through it wrongly, along an outer
    part of a dimension that was split or beyond the end of its innermost part;
    and through `collapse_shape` it reads each number at indices that are divided
    by what the dimensions were: a copy of 48 channels of 14 x 14 pixels that had
    been 6 x 8 took 6 us, 1 us so.

    Runs on memrefs, before `fold-memref-alias-ops`.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def SplitEmptiesPass : Pass<"lh-split-empties"> {
  let summary = "Gives each tensor.empty few uses, where it is used";
  let description = [{
    Gives each `tensor.empty` at most `most-uses` uses (32): uses that follow
    each other in the program share a copy, and so may reuse one buffer. A chain
    of 1000 `Neg` nodes takes 2.4 s of processor time by `plain`, one of 500 1.2
    s; without the pass 250 nodes take 1.9 s, 500 over 10 s.

    Gives each call of a function with `lh.kernel_call` an allocation to write to,
    unless it writes a tile of what a loop writes: `bufferization.to_buffer` hides
    from the analysis that two such calls write to one tensor.

    Empty tensors, and fills of them by a constant, that only the iterations of
    one of the function's loops use, move into that loop. Loop-invariant code
    motion puts them in front of it, where a buffer lives as long as the loop,
    and a fill is copied in each iteration that writes to it.

    Runs on tensors, right before bufferization, and behind micro-kernels.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
  let options = [
    GapOption<"mostUses", "most-uses", "unsigned", "32",
      "so many at most">
  ];
}

#endif // LH_COMPILER_GAPS_UPSTREAM_FIXES_PASSES_TD
