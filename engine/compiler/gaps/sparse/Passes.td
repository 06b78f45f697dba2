// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic sparse.
#ifndef LH_COMPILER_GAPS_SPARSE_PASSES_TD
#define LH_COMPILER_GAPS_SPARSE_PASSES_TD

include "compiler/gaps/GapPass.td"

def AssembleSparsePass : Pass<"lh-assemble-sparse", "::mlir::ModuleOp"> {
  let summary = "Gives entries the arrays of their sparse tensors";
  let description = [{
    Replaces each argument of a sparse type by the arrays of its storage, in
    the order of `sparse_tensor.assemble`: of each level `NAME.positionsL` and
    `NAME.coordinatesL` where it has them, then `NAME.values`. Their lengths are
    open. `lh.sparse` on each says what it is, so that callers go on giving one
    tensor. Upstream's `sparse-assembler` does this with a wrapper, which has
    neither names nor marks. Sizes of tensors have to be known, and COO has to
    be `soa`.

    Runs on tensors, before the sparsifier.
  }];
  let dependentDialects = ["::mlir::sparse_tensor::SparseTensorDialect"];
}

def ScatterSparsePass : Pass<"lh-scatter-sparse", "::mlir::ModuleOp"> {
  let summary = "Computes with sparse tensors as dense ones and a mask";
  let description = [{
    Makes each argument of a sparse type a dense one, and puts beside it which
    of its elements are stored (`NAME.stored`, of `i1`). Linalg ops multiply
    only what is stored: where a factor isn't, the product is 0, whatever the
    other factor is, as in code of the sparsifier. This is how the oracle
    computes, so nothing of it is the sparsifier's.

    Runs as imported.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect"
  ];
}

#endif // LH_COMPILER_GAPS_SPARSE_PASSES_TD
