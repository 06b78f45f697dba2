// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic rows.
#ifndef LH_COMPILER_GAPS_ROWS_PASSES_TD
#define LH_COMPILER_GAPS_ROWS_PASSES_TD

include "compiler/gaps/GapPass.td"

def ApproximateMathPass : Pass<"lh-approximate-math"> {
  let summary = "Replaces f32 math ops on scalars and vectors by polynomials";
  let description = [{
    Applies upstream's polynomial approximations to math ops on f32 scalars and
    vectors, and leaves every other type alone. How far they are off, in units
    in the last place (2^-23 of the result), for normal results and arguments
    below 1000 (`tests/e2e/math_ulp.py LH_RUN --passes lh-approximate-math
    --points 262144`): `exp` 1.7, `expm1` and `log1p` 1.5, `erf` 2.5, `tanh`
    2.2, `log10` 1.2, `log2` 1.1, `log` 0.7, `erfc` 1.6, `acos` 1.0, `asin` 3.7,
    `cbrt` 9.7, `atan` 34.8. For `exp` and `erf` the pass has shorter ways of
    its own (15 operations instead of 27, 17 instead of 50; a GELU of 64 M
    elements takes 2/3 of the time), `erf` exactly 1 from 3.95 on. A vector
    divided by the sum of a vector is multiplied by its reciprocal. A bubble
    that uses it for these declares as much: `numerics: {ulp: 3}` for a softmax
    or a GELU. `sin` and `cos` lose all digits near their zeros and give values
    of 1e38 beyond 1e11; denormal arguments of `log` and `cbrt` count as the
    smallest normal number, and denormal results of `exp` and `erfc` as zero.
    Declared units cover the last of these, and none of the others.

    With `functions=exp,erf` (names as in `math.NAME`) it replaces these alone:
    `schedules/cpu/approximate-math.yaml` names those within 5.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    ListOption<"functions", "functions", "std::string",
      "the functions to replace, as in math.NAME; all of them when none is "
      "named">
  ];
}

def LowerMaximaPass : Pass<"lh-lower-maxima"> {
  let summary = "Takes maxima and minima of vectors by comparing and selecting";
  let description = [{
    `arith.maximumf` is NaN when an operand is: `arith-expand` makes two
    comparisons and two selections of each, which is four instructions of
    AVX-512's. A number that is compared with the best so far, and selected where
    it is better, is one (`vmaxps`), by which NaN is never selected. So several
    maxima one of the other, as of a window, become that for each number, and one
    comparison for two of them that looks for NaNs. A maximum with a constant is
    one instruction: what is best so far stays where it is NaN.

    Of f32 and f64 in vectors. Which of 0 and -0 is larger isn't defined, as by
    `arith-expand`, before which it runs.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CallLibmPass : Pass<"lh-call-libm", "::mlir::ModuleOp"> {
  let summary = "Calls libm where upstream's conversions can't or wouldn't";
  let description = [{
    Makes of a math function on a scalable vector, unless it is an instruction,
    a loop that takes a lane at a time: `convert-math-to-libm` takes vectors
    apart whose length is known. Turns `math.expm1` into a call of libm's
    function before `convert-math-to-llvm` can make it `exp(x) - 1`, which is 0
    for an `x` below 1e-16. That pass has an option against the like for `log1p`
    alone, and must come before `convert-math-to-libm`.

    Runs before `convert-scf-to-cf` and `convert-math-to-llvm`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def FuseAttentionPass
    : InterfacePass<"lh-fuse-attention", "::mlir::FunctionOpInterface"> {
  let summary =
    "Puts two products with a softmax between them into one loop over heads "
    "and rows";
  let description = [{
    Looks for a batched product whose left operand is computed from another
    one's result, along its rows, by elementwise ops, at least one reduction,
    and reshapes. These reshapes become dimensions of the ops, the importer's
    unit dimensions go, and transposes that feed a product or follow the second
    one become indexing maps. Then all of it goes into one `scf.forall` over the
    batch (`lh.attention`), in it one `scf.for` over as many rows as have scores
    of a 16th of `cache` bytes, a multiple of `rows` (of the register tile),
    with the rest of the rows behind it. The forall takes blocks of rows too
    where there are fewer than two heads for each of `threads`. What depends on
    a head alone, as its keys and values, stays out of the loop over rows. Left
    alone are products with one row, and scores that something else reads before
    the sums are known.

    Runs on tensors, before packing.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"cache", "cache", "int64_t", "1048576",
      "cache, of which a tile's scores take a 16th">,
    GapOption<"rows", "rows", "int64_t", "12",
      "rows of a register tile">,
    GapOption<"threads", "threads", "int64_t", "1",
      "threads that share the loop">
  ];
}

def FuseElementwisePass : Pass<"lh-fuse-elementwise"> {
  let summary = "Fuses elementwise linalg ops, but none into a contraction";
  let description = [{
    Does what `linalg-fuse-elementwise-ops` does (elementwise fusion, reshapes
    moved out of the way by expanding what produces or uses them), but fuses
    nothing into a contraction, and gives a contraction no more dimensions. What
    follows a contraction takes the contraction's shape instead, by collapsing.
    An op with arithmetic is not fused into one that reads each element several
    times (a number for each channel), nor into one that only gives elements
    other places (a transposition of the innermost dimension). Nor is such a one
    fused into arithmetic where fewer than half of `turn` elements were neighbours
    (a shuffle of channels): it is no block that a schedule turns.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"turn", "turn", "int64_t", "16",
      "rows and columns of a block that a schedule turns">
  ];
}

def FuseRowsPass
    : InterfacePass<"lh-fuse-rows", "::mlir::FunctionOpInterface"> {
  let summary =
    "Puts reductions, and what is computed from them along the same rows, "
    "into one loop over rows";
  let description = [{
    Finds, from the last op of a block upwards, the linalg ops that compute the
    same rows: a producer joins its user's loop when nothing that one row needs
    of it is needed by another, and when all its other readers stand behind the
    loop. The rows are the parallel dimensions that every reduction on the way
    keeps (of a softmax along the last dimension all others; along the first,
    the last, in strips of `columns`); each op is in the loop once, and what is
    read elsewhere becomes one more result. The loop runs over blocks of `rows`
    rows, which threads can share, each a loop over rows. The innermost loops of
    a row that all its ops walk over together are one, and so are all those of
    elementwise ops that share no reduction's rows. What turns a matrix of 32-bit
    floats, of known sizes that fill half a block, gets `lh.turn` in place of a
    loop: the schedule turns it in blocks. So does (`lh.turn = 3`) what turns each
    slice of a tensor, a matrix with no more numbers than a block: a shuffle of
    each pixel's channels. Contractions and windows join no
    loop. With `sums-only`, what reduces nothing has no loop either, and loops
    that are mapped to a GPU are left alone.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"rows", "rows", "int64_t", "32",
      "rows per block">,
    GapOption<"columns", "columns", "int64_t", "64",
      "columns per block at most, where rows run along an outer dimension: "
      "half as many at least, if all blocks can be as large">,
    GapOption<"sumsOnly", "sums-only", "bool", "false",
      "leave alone what reduces nothing">,
    GapOption<"turn", "turn", "int64_t", "16",
      "rows and columns of a block that a schedule turns">
  ];
}

def SliceGathersPass : Pass<"lh-slice-gathers"> {
  let summary = "Rows that an op gathers are slices, and operands";
  let description = [{
    Takes ops of one parallel loop (what is left of an op inside of loops over
    rows). Where the body reads a tensor by `tensor.extract` at places that differ
    in the last index alone, which counts the iterations, a `tensor.extract_slice`
    before the op reads them, and the op has one more operand: it is an elementwise
    op of rows then. The other indices may be computed from anything that is the
    same in each iteration, also from numbers in tensors; they are computed once.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def VectorizeRowsPass
    : InterfacePass<"lh-vectorize-rows", "::mlir::FunctionOpInterface"> {
  let summary =
    "Makes reductions of rows, and what is computed beside them, loops over "
    "strips of vectors";
  let description = [{
    Takes ops of one loop (what is left of an op inside of a loop over rows):
    each reduction becomes one loop over strips, with the elementwise ops that
    only it and later ops read computed in it. Four registers to a strip, two
    where powers are computed. What doesn't fill a strip is computed by single
    registers, the last one masked; rows of up to `unrolled` registers have no
    loop and stay in registers. A maximum is taken by comparing and selecting, one
    instruction, and NaNs are looked for beside, half an instruction:
    `arith.maximumf` takes four, each of which waits for the one before. Integer
    divisions, gathers and combiners other than one op are left to the schedule.
    A softmax of scores: see [benchmarks](../measurements/2026-11-21-peers.md#rows).

    A longer row of powers that a last op reads is read an iteration later, in
    the strips that overwrite it: a loop that only writes a result waits for
    memory, and the loops before it leave memory idle. Loops over rows do so
    that stand in a function, or in a loop over at least `fewest-blocks` blocks
    of rows there.

    With `scalable`, rows of more than 8 vectors, or of unknown length, are
    computed in vectors as long as the machine has them: whole strips first,
    then a vector at a time under a mask. The first loop carries its index out,
    as LLVM 22 computes remainders of divisions by few scales wrongly. Rows
    whose numbers are multiplied with each other stay in vectors of known
    length: no instruction multiplies lanes.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    GapOption<"vectorBits", "vector-bits", "int64_t", "512",
      "width of a vector register">,
    GapOption<"isScalable", "scalable", "bool", "false",
      "whether registers may be longer">,
    GapOption<"unrolled", "unrolled", "int64_t", "8",
      "registers of a row that is computed without a loop, at most">,
    GapOption<"fewestBlocks", "fewest-blocks", "int64_t", "1",
      "blocks of rows, at least, in which a row is written while the next one "
      "is computed; rows of fewer may be shared by threads">
  ];
}

#endif // LH_COMPILER_GAPS_ROWS_PASSES_TD
