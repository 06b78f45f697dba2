// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic memory.
#ifndef LH_COMPILER_GAPS_MEMORY_PASSES_TD
#define LH_COMPILER_GAPS_MEMORY_PASSES_TD

include "compiler/gaps/GapPass.td"

def EntryAbiPass : Pass<"lh-entry-abi", "::mlir::ModuleOp"> {
  let summary = "Gives entry functions caller-owned outputs and a C interface";
  let description = [{
    Takes every public function that takes and returns memrefs with identity
    layout. When all its results have static shape they become out-parameters
    after the arguments, in order, with the result's memory as the place where
    it is computed; otherwise they stay returned, and the caller frees them. The
    function gets `llvm.emit_c_interface`, and the module `lh.abi`: per function
    `convention` (`out-params` or `returned`), `args` and `results` as they were
    on tensors, each with `name`, `type` (the ONNX word, which tells signedness;
    made from the element type where the payload has none), `memref`, and
    `symbols` (from `lh.symbols`: a name per dimension, empty for none; all
    dimensions of one name must have one size); arguments also with `role`
    (`input`, `weight`, `prepared`), `data` (of a weight: file, offset, bytes)
    and `index` (of a prepared one). Inputs also have `exact` and `ordered`, the
    entry `inexact`, `unordered` and `undefined`, where the import found them.
    `@main` and `@prepare` must be callable in this way; other functions that
    aren't are left alone.

    With `tensors`, which is for modules before they are bufferized, it only
    says that the entries' arguments are the caller's, and not writable, and
    makes globals of constants in the order of the program: bufferization makes
    them in an order that differs between two runs.

    Runs on memrefs, right after `one-shot-bufferize`; with `tensors` right
    before it.
  }];
  let dependentDialects = [
    "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let options = [
    GapOption<"tensors", "tensors", "bool", "false",
      "whether entries are on tensors still: their arguments are marked as not "
      "writable, and constants get their names">
  ];
}

def HoistWeightsPass : Pass<"lh-hoist-weights", "::mlir::ModuleOp"> {
  let summary = "Moves ops that depend on weights alone from @main to @prepare";
  let description = [{
    Looks at `@main`: its arguments with `lh.weight` are weights, and so are
    constant tensors of different numbers (importers leave small weights in the
    module). An op is moved when all that it reads (also from inside its
    regions) comes from at least one weight and from constants, and it is pure
    or a linalg op on tensors. The
    results that the rest of `@main` needs become results of
    `@prepare(weights...)`, which keeps the arguments' attributes, and trailing
    arguments of `@main` with `lh.prepared = <index>`. A weight that only
    `@prepare` still reads is no argument of `@main` any more. Not moved:
    tensors more than `growth` times as large as their weights (a bias
    spread over an activation map: reading it back costs more than computing
    it), tensors of dynamic or unknown size, and chains of reshapes and slices,
    which are free after bufferisation. What such an op reads is still moved
    when it is worth it. Run it after layout changes, before tiling and fusion,
    once per module. `linalg.pack` has no bufferisation: lower it first
    (`transform.structured.lower_pack`).

    Runs on tensors.
  }];
  let options = [
    GapOption<"growth", "growth", "int64_t", "8",
      "times that a tensor may be as large as the weights it comes from">
  ];
}

def PlanMemoryPass
    : InterfacePass<"lh-plan-memory", "::mlir::FunctionOpInterface"> {
  let summary =
    "Gives the buffers of a function places in one allocation, shared by "
    "those that are never in use at the same time";
  let description = [{
    Looks at buffers of static size and identity layout that are freed in the
    block that allocates them. A buffer is in use from its first user to its
    last one, or the last of what is made of it by views and loops, and all
    through a loop that it is used in but not allocated in; one whose address is
    taken as a number, to its `memref.dealloc`. The
    largest first, each gets the smallest gap between those in use at the same
    time, aligned to 64 bytes or more, in one `memref.alloc` for the function
    and one for each `omp.parallel` or `scf.parallel` in it, whose body each
    thread runs on memory of its own; the buffers become `memref.view`s.
    `lh.buffers` on that allocation says how many there are and what their bytes
    add up to. Other loops, `scf.forall` too, are taken to run one iteration
    after the other. All else stays as it is. What it costs: a place that
    another buffer had before is not poisoned again in a first run, and a write
    past a buffer's end that hits the next one goes unseen; `plain` pipelines,
    and paths without it, still see both.

    Runs on memrefs, after deallocation.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def ShareLoopsPass
    : InterfacePass<"lh-share-loops", "::mlir::FunctionOpInterface"> {
  let summary =
    "Makes scf.parallel of the loops that threads share best: scf.forall, and "
    "scf.for that is marked as independent";
  let description = [{
    Makes `scf.parallel` of the `scf.forall` loops, and of the `scf.for` loops
    that are marked `lh.independent`, with which a function takes the least time
    by an estimate. A loop's work is the numbers that it computes or moves: the
    elements of all vectors, floats and linalg operands in it times the trips of
    the loops around them, math functions and copies more than once, a trip count
    that isn't constant as the most that it can be, or `unknown-trips`. Shared, it takes as
    long as the thread with the most work, where the last block of a row is as
    much as it holds (`affine.min`), and what it costs to wake threads: so much
    that it pays from `least-work` numbers on. So two threads take the rows of
    three blocks of columns rather than the blocks, and those of a whole block
    and a small one. `parallelize` says 262144, which is some 3 µs of
    multiply-adds; sharing a loop costs 1 to 3 µs on a quiet machine. What
    nothing but the loop uses, as its windows, each iteration gets for itself (a
    thread once, after `lh-plan-memory`); a marked loop stays where it isn't
    certain, on buffers again, that iterations write to different places. A loop
    with a `cf.assert` in it stays: a failed assertion is the calling thread's
    to report.

    With `mark` it shares nothing yet, but sets `lh.independent` on each
    `scf.for` over tensors whose iterations threads could share: of every tensor
    that it carries, an iteration reads and writes a slab that no other one
    touches. On buffers it can't be told any more whether what an iteration
    reads was written by another one. The slab follows from the indices (affine
    maps, sums, bounds of inner loops) of all reads and writes of what becomes
    of the tensor, through inner loops and conditions. Empty tensors that such a
    loop uses move into it, so that buffers which are an iteration's own are
    told from others.

    Runs on memrefs, before `convert-scf-to-openmp`; with `mark` on tensors,
    right before bufferization.
  }];
  let dependentDialects = [
    "::mlir::scf::SCFDialect",
    "::mlir::memref::MemRefDialect"
  ];
  let options = [
    GapOption<"mark", "mark", "bool", "false",
      "whether loops are on tensors still: those that threads could share are "
      "marked">,
    GapOption<"threads", "threads", "int64_t", "1",
      "threads that there are; with one, nothing is shared">,
    GapOption<"leastWork", "least-work", "int64_t", "131072",
      "numbers computed or moved by a loop that is shared">,
    GapOption<"unknownTrips", "unknown-trips", "int64_t", "64",
      "trips of a loop of unknown length">,
    GapOption<"mathCost", "math-cost", "int64_t", "16",
      "additions that a math function such as exp takes">,
    GapOption<"moveCost", "move-cost", "int64_t", "8",
      "additions that a copied number takes">
  ];
}

def StreamMemoryPass
    : InterfacePass<"lh-stream-memory", "::mlir::FunctionOpInterface"> {
  let summary =
    "Writes results larger than the caches past them, and asks for such inputs "
    "ahead";
  let description = [{
    Looks at arguments of static size from `least-bytes` on.

    Results are those that are written by whole vectors and never read. A write
    of whole cache lines becomes a non-temporal store where its address, looked
    at when it runs, is a multiple of 64, and plain stores elsewhere; in a loop
    over rows of half a page or more it also prefetches a line of the page after
    the next one, since a streaming store waits for its address to be
    translated. A plain store first reads the line that it overwrites: a copy of
    256 MB runs at 37 GB/s with these, at 51 without.

    Of inputs, the last loop that reads vectors of one prefetches, a row and a
    half ahead (but at least 3/4 of `ahead`) where rows are no longer than
    `ahead` bytes, else so many bytes; of loops that follow each other, the last
    one. On 64 M elements, as a share of a copy by streaming stores: GELU 64 to
    89 %, layer normalization 72 to 88 %, softmax 53 to 57 %; a chain without
    functions keeps its 100 %.

    With `panel-bytes`, a loop over sums also asks for the lines of a panel so many
    bytes before it reads them: where each step reads a row of whole lines, and the
    sums take no fewer bytes. That pays where what is beyond the second cache is
    far away: a core with AMX reads 15 to 29 GB/s of it and waits 40 ns for a line,
    and the product of a register tile wants 35 GB/s. Weights of 4 bits, which take
    several instructions each, go through such a core at 4.3 GB/s without and at
    10 with 2 KiB. Of panels that take less than `least-panels` bytes all together
    none is asked for: the first cache has them.

    With `most-shares`, tiles of rows that read the same panels, up to so many, ask
    for a share each of the panels that come next, for the second cache. Else the
    first tile of a panel waits for all of it and the others for nothing: a BERT
    layer, whose products have 11 tiles, takes 1.04 to 1.07 times as long.

    Runs on memrefs, after `fold-memref-alias-ops`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    GapOption<"leastBytes", "least-bytes", "int64_t", "33554432",
      "results below this size go through the caches, inputs are left to the "
      "hardware">,
    GapOption<"ahead", "ahead", "int64_t", "8192",
      "bytes between what is read and what is asked for, at most">,
    GapOption<"panelBytes", "panel-bytes", "int64_t", "0",
      "the same in a product's panels; 0: they are left to the hardware">,
    GapOption<"leastPanels", "least-panels", "int64_t", "0",
      "the bytes, at least, of panels that are asked for: fewer stay in the first "
      "cache">,
    GapOption<"mostShares", "most-shares", "int64_t", "0",
      "tiles of rows, at most, that ask for a share each of the panels that come "
      "next">
  ];
}

#endif // LH_COMPILER_GAPS_MEMORY_PASSES_TD
