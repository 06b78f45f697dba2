// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic products.
#ifndef LH_COMPILER_GAPS_PRODUCTS_PASSES_TD
#define LH_COMPILER_GAPS_PRODUCTS_PASSES_TD

include "compiler/gaps/GapPass.td"

def HoistSlicesPass : Pass<"lh-hoist-slices"> {
  let summary = "Products of a loop's input, a step each, become one in front";
  let description = [{
    In a loop whose number of trips is known, a `linalg.matmul` whose rows are one
    part of a tensor that has as many, `x[i]` of (steps, rows, sum), and whose
    other side the loop doesn't change: the products of all parts are computed in
    front of the loop, and a trip reads its part. Sums are the same. Only up to
    `most-rows` rows a step, as more use their weights well, and up to `most-bytes`
    of what is kept.

    Recurrent nets read all their weights in each step for the few rows that a
    step has.

    Runs on tensors, before strategies are chosen.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"mostRows", "most-rows", "int64_t", "64", "rows of a step at most">,
    GapOption<"mostBytes", "most-bytes", "int64_t", "16777216",
      "bytes of all products at most">
  ];
}

def LowerTilesPass : Pass<"lh-lower-tiles", "::mlir::ModuleOp"> {
  let summary = "Products of words become AMX's products of tiles";
  let description = [{
    Takes the products of words (`lh-pack-words`) on buffers that are marked
    `lh.outer`: C[m, n] += A[m, k] * B[k, n] of known sizes, rows contiguous, m
    left out where there is one row. For each 32 rows and columns, a loop over
    k loads two tiles of 16 rows and 16 words of each side and carries four
    tiles of sums: `amx.tile_muli` for bytes, signed or not, `amx.tile_mulf`
    for bf16, which takes denormals for zero. Where a `linalg.fill` of zeros
    stands right before the product, the sums begin with `amx.tile_zero`; where
    a `linalg.copy` of all of them stands right behind it and nothing else
    reads them, they are stored where it copies to. Rows and columns that are
    left are computed in smaller tiles, words that are left in tiles filled up
    with zeros. LLVM configures tiles once for a function, with one shape for
    each register; so products of one height, with the loops round them, become
    a function of their own, `lh_tiles_N`. Products of another form stay as
    they are.

    Runs on buffers, before `lh-lower-words`.
  }];
  let dependentDialects = [
    "::mlir::amx::AMXDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerWordsPass : Pass<"lh-lower-words"> {
  let summary = "Dot products of words become instructions of x86 or SVE";
  let description = [{
    Finds that dot product again, added to a sum, on vectors, and makes
    `llvm.call_intrinsic` of it, `bits` wide: `vpdpbusd` (which doesn't
    saturate), or `vdpbf16ps`, which takes denormals for zero and adds each pair
    before the sum. Words of 64 bits on scalable vectors become SVE's `smmla`,
    `ummla`, `usmmla` or `bfmmla`: in each 128 bits, two words of two rows by
    two words of two columns, and their four sums. A loop that carries the sums
    carries them in that order, and they are put in rows behind it; an odd row
    is paired with itself. Signed by unsigned bytes go in as unsigned by signed
    ones, turned. A selection by the mask under which the columns were read
    falls away. What the pass doesn't find stays as it is, slow but right.

    Runs on vectors, before contractions are lowered.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::LLVM::LLVMDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    GapOption<"bits", "bits", "int64_t", "512",
      "width of a vector register">
  ];
}

def NormalizeProductsPass : Pass<"lh-normalize-products"> {
  let summary = "Products become 0 + A * B, with casts and scales outside";
  let description = [{
    Brings products of matrices, and convolutions with channels last, to the
    form that is chosen for and laid out: sums that start at zero, of products
    of the operands' own numbers. What else a product does becomes an
    elementwise op before or after it. Each option is a part of this; without
    one nothing is done.

    `matrices`: products of a matrix and a vector, or of two vectors, become
    products of matrices with one row or column.

    `operands`: what extends an operand's element inside the body moves before
    the product, which then multiplies wide tensors. Sums in f16 or bf16 are
    kept in f32 and rounded once. Matrix-vector products stay as they are: they
    read each element once.

    `start`: a product that starts from anything but a fill or an empty tensor
    starts from zeros, and what it started from is added behind it. The sum is
    in another order: the bubble that uses it declares `reassociate`.

    `sums`: sums over several loops that lie side by side in both operands, as
    those over blocks of quantised weights, become sums over one.

    `types`: `lh.types` says of each product of known sizes what it multiplies
    and sums up, `lh.small` whether one side has at most `thin` rows or columns;
    `lh.untyped` why no kernel could take it. Sums in f16 or bf16 become sums in
    f32.

    Runs on tensors, before fusion.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"matrices", "matrices", "bool", "false",
      "whether vectors become matrices of one row or column">,
    GapOption<"operands", "operands", "bool", "false",
      "whether operands are widened before the product">,
    GapOption<"start", "start", "bool", "false",
      "whether products start at zero">,
    GapOption<"sums", "sums", "bool", "false",
      "whether sums over several loops become sums over one">,
    GapOption<"types", "types", "bool", "false",
      "whether products are marked with their types">,
    GapOption<"thin", "thin", "int64_t", "0",
      "most rows, or columns, of a product that is thin">
  ];
}

def PackWordsPass : Pass<"lh-pack-words"> {
  let summary = "Products of bytes or bf16 become products of words";
  let description = [{
    Takes products and convolutions with channels last whose `lh.choice` is
    "words" and whose operands are bytes, less a zero point or not, or bf16,
    that elementwise ops widen; off others it takes the choice. It packs the
    narrow numbers along the sum into words, the last one filled up with zeros,
    and makes of the product one over words (`lh.product`), whose body spells
    the dot product out: shifts, casts, multiplications, additions. So the
    module means what it says at every step, and layout, tiles and epilogues are
    those of 32-bit numbers. `vpdpbusd` multiplies unsigned by signed bytes.
    Signed ones on the left and unsigned ones on the right have their sign bit
    turned over, which adds 128 or -128; that and the zero points *p* and *q*
    come out again in an elementwise op after the product, (a - p)(b - q) = ab -
    p sum(b) - q sum(a) + kpq, whose sums over weights move to `@prepare`. All
    is exact, modulo 2^32. With `signs`, the instructions take bytes of any, and
    nothing is turned over; with `matrices`, so do they, and words are of 64
    bits, eight bytes or four bf16. In convolutions of known sizes the
    words are of channels; an image is padded after packing, with the word of
    its padding. Filters must be centred at 0 and have the instruction's sign,
    or each window would need a sum of its own.

    Where both operands are (byte - p) s in f32, p a constant and s a number, or
    one for each of the result's channels, byte - p is multiplied in i32
    instead, and the sums are scaled behind it: sum (a - p) s (b - q) t = s t
    sum (a - p)(b - q), which leaves one rounding where there was one for each
    term. Padding with zeros becomes padding with the zero point. Sums that
    could leave 32 bits stay as they are.

    Runs on tensors, after `lh-normalize-products`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"signs", "signs", "bool", "false",
      "whether instructions take bytes of any signs">,
    GapOption<"matrices", "matrices", "bool", "false",
      "whether instructions multiply matrices of words: these are of 64 bits "
      "then">
  ];
}

#endif // LH_COMPILER_GAPS_PRODUCTS_PASSES_TD
