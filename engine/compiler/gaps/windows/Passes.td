// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic windows.
#ifndef LH_COMPILER_GAPS_WINDOWS_PASSES_TD
#define LH_COMPILER_GAPS_WINDOWS_PASSES_TD

include "compiler/gaps/GapPass.td"

def AssemblePass
    : InterfacePass<"lh-assemble", "::mlir::FunctionOpInterface"> {
  let summary =
    "The pieces of padded images and of concatenations are written where they "
    "belong";
  let description = [{
    A tensor is put together from pieces; each is computed in its place where it
    is written into an empty tensor and needed by nothing else, and copied there
    otherwise.

    `tensor.pad` of an image [rows][columns][channels] of known size with one
    number around it becomes rows above and below, which are filled, and a loop
    over the others that writes what is left of a row, copies its pixels, and
    writes what is right of it: each number is written once.

    Where nothing but single pixels of it is read, in columns that a loop of
    known bounds counts (step times index plus first), there is no border left
    and right: the loop's first and last iterations, those that read outside of
    the image (`most-copies` at most), become copies of its body, in which such
    reads are constants. What is multiplied with zeros stays, so that infinite
    filters give the same NaNs. Rows above and below are filled in one buffer
    with the image, which is computed there.

    `tensor.concat` along the last dimension of tensors of known size: a part
    that is a reshaped matrix is computed in its columns of the whole, one part
    after the other.

    Runs on tensors, vectorized, before bufferization. No `cse` may come between
    the two: it would make one buffer of two images' borders.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"mostCopies", "most-copies", "int64_t", "8",
      "iterations that read outside of the image and become copies">
  ];
}

def ChannelsLastPass : Pass<"lh-channels-last", "::mlir::ModuleOp"> {
  let summary =
    "Convolutions and what is between them compute with the channels "
    "innermost";
  let description = [{
    Acts on functions that have a `linalg.conv_2d_nchw_fchw`, a
    `linalg.depthwise_conv_2d_nchw_chw` or a pool of several channels. From
    these and from products of every pixel's channels (as importers make of
    convolutions by one pixel) on, it goes through elementwise ops, reductions,
    pads, slices, concatenations and reshapes that keep batch and channels
    apart, and makes a copy of each with
    [batch][...][channels] in place of [batch][channels][...]: the same maps
    with their results in another order, and the loops in the result's; of sums
    over pixels in their input's, so that they are of vectors of channels.
    Whatever else reads a result gets it turned back by a `linalg.transpose`. What an
    elementwise op with no other reader makes of one tensor is computed of that
    tensor turned: its elements may be smaller. A depthwise filter is turned as
    well, so that its channels are innermost. A `linalg.conv_2d_ngchw_gfchw` of
    known sizes, between reshapes that split and merge channels, gets its groups
    and their channels last. So does a shuffle of channels: reshapes that
    split them, a `linalg.transpose` of their parts alone, and reshapes that
    merge them. An op whose body reads images by `tensor.extract` at computed
    pixels, but each channel its own (an interpolation), reads them with their
    channels last.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LowerWindowsPass : Pass<"lh-lower-windows"> {
  let summary =
    "What products of windows read and write becomes loops over vectors";
  let description = [{
    Replaces the rows that a tile slices off what `lh-multiply-windows` put side
    by side by loops that copy a window's lines, in vectors of `copies` numbers
    as long as they fit, from the input that isn't padded yet; windows across the
    border go a pixel at a time, with the padding's number outside. What else
    reads the op gets all rows at once, as do several blocks of a product's
    columns where all rows take `kept-bytes` at most.

    Winograd's transforms of F(4 x 4, 3 x 3) become loops over tiles, with
    vectors of channels of `bits`, that get shorter towards the last channel.

    Runs on tensors, in `tile-contractions`, once products are tiled.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    ListOption<"copies", "copies", "int64_t",
      "lengths of the vectors that copy, the longest first; what is left is "
      "copied one by one">,
    GapOption<"bits", "bits", "int64_t", "512",
      "of a vector of Winograd's transforms">,
    GapOption<"keptBytes", "kept-bytes", "int64_t", "0",
      "all rows of a product, at most, that are put side by side once for all its "
      "blocks of columns, not once for each">
  ];
}

def LoopOverSamplesPass : Pass<"lh-loop-over-samples", "::mlir::ModuleOp"> {
  let summary = "A net of any number of images as a loop over nets of one";
  let description = [{
    In a function whose inputs are open in their first dimension alone, which
    has one name (`lh.symbols`), and which has windows: if each op does the same
    to all samples and none looks at two, the ops become those of one sample, in
    a loop over the batch. All sizes in it are known. Anything else stays.

    Runs as imported.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def MultiplyWindowsPass : Pass<"lh-multiply-windows"> {
  let summary = "Convolutions with channels last become products of windows";
  let description = [{
    Makes products of the convolutions with channels last, of static sizes, that
    `lh.choice` leaves to `strategy`: by its name, or as there is no choice. What
    they started from is added behind them, where it can be fused. Runs on
    tensors, after `lh-channels-last`.

    `gather` makes of each a `linalg.matmul` of [pixels][window] by
    [window][filters]. The rows are the result of a `linalg.generic` that copies
    its input by quotients and remainders (which is right as it stands), marked
    `lh.windows`, a `#dlti.map` of the result's images, height and width, the
    window's rows, columns and channels, its strides and dilations, and the
    groups. Convolutions of groups become a `linalg.batch_matmul` of one product
    for each group, whose windows are of its channels; groups with fewer than
    `fewest-columns` filters get columns of zeros, whose results are cut off.
    Groups of integers are merged while a panel of `columns` holds their filters,
    with zeros in the filters between them: a panel's columns are multiplied
    whether filled or not. Groups of floats aren't, as zero times another group's
    infinity would be NaN.

    `lanes` makes one dimension of the groups and their filters, which vectors go
    along: result[n][y][x][l] of input[n][..][..][(l floordiv filters) * channels
    + c] and filter[..][..][c][l]. It takes what `lh.choice` gives it by name,
    and adds "strip" there: the numbers of whole groups, `strip` of them at most,
    or those of one register where its end would lie within a group.

    `winograd` makes F(4 x 4, 3 x 3) of those of f32 by 3 x 3 windows, stride 1.
    A `scf.forall` goes over blocks of rows of 4 x 4 tiles:
    `linalg.winograd_input_transform` of a slice of the image, a
    `linalg.batch_matmul` of 36 products, `linalg.winograd_output_transform` into
    a slice of the result. The block has as many rows as divide the image's and
    make no more than `tiles`. Filters are transformed by elementwise ops, which
    move to `@prepare`. Images that tiles don't cover evenly are padded, and the
    result is cut.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::DLTIDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let options = [
    GapOption<"strategy", "strategy", "std::string", "\"gather\"",
      "what it does: gather, lanes or winograd">,
    GapOption<"columns", "columns", "int64_t", "32",
      "columns of a panel: groups of integers with fewer filters are merged">,
    GapOption<"fewestColumns", "fewest-columns", "int64_t", "8",
      "columns of a product, at least: groups with fewer filters get columns of "
      "zeros">,
    GapOption<"strip", "strip", "int64_t", "32",
      "filters of whole groups in a strip of lanes, at most">,
    GapOption<"vectorBits", "vector-bits", "int64_t", "512",
      "width of a vector register">,
    GapOption<"tiles", "tiles", "int64_t", "56",
      "tiles in Winograd's block, at most, unless a row of the image has more">
  ];
}

#endif // LH_COMPILER_GAPS_WINDOWS_PASSES_TD
