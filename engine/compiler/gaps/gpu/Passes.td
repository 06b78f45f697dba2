// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gap passes of the topic gpu.
#ifndef LH_COMPILER_GAPS_GPU_PASSES_TD
#define LH_COMPILER_GAPS_GPU_PASSES_TD

include "compiler/gaps/GapPass.td"

def LaunchKernelsPass
    : InterfacePass<"lh-launch-kernels", "::mlir::FunctionOpInterface"> {
  let summary =
    "Makes GPU kernels of linalg ops and of loops over rows, on buffers";
  let description = [{
    What follows a launch with `lh.product` (a kernel that computes a product)
    elementwise, and is all that reads its result, is computed where the kernel
    stores it, and what the product starts from becomes a constant.

    Makes a `gpu.launch` of each other linalg op that the host would run, and of
    each `scf.forall` without a mapping (what `lh-fuse-rows` makes). An op has a
    thread for each point of its result, blocks of at most `threads`;
    neighbouring threads write neighbouring elements, a thread sums up in a
    register. Fewer than `many-points` of sums of `shared-sum` numbers have a block
    each, whose threads take every so many-th number and combine what they got,
    by shuffles in each warp of `lanes` and in shared memory then: f32 and 32-bit integers,
    by any one operation with a neutral element. An iteration of an `scf.forall`
    is a block; each op in it is shared among its threads in the same two ways,
    with a barrier behind what writes. What the iteration allocates is shared
    memory as long as `shared-bytes` last, else a part of one allocation before
    the launch. Sizes may be open: indices are compared with the number of
    points, a launch has at least one block, and static empty results have no
    launch. Constants (`memref.get_global`) move into the kernels that read
    them. Everything else stays on the host: loops there that store single
    numbers are warned of: the host waits for the device before them, and reads
    its memory.

    Runs on memrefs, after bufferization.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
  let options = [
    GapOption<"threads", "threads", "int64_t", "256",
      "most threads in a block">,
    GapOption<"lanes", "lanes", "int64_t", "32",
      "threads that run in step and combine sums by shuffles, a power of two; 1: they combine them in shared memory">,
    GapOption<"sharedBytes", "shared-bytes", "int64_t", "49152",
      "shared memory for what a row keeps">,
    GapOption<"leastSharedSum", "shared-sum", "int64_t", "64",
      "numbers of a sum that a block's threads share, at least">,
    GapOption<"manyPoints", "many-points", "int64_t", "4096",
      "results from which on each has a thread of its own, whatever its sum">
  ];
}

def LayOutProductsPass : Pass<"lh-lay-out-products"> {
  let summary = "Pads and turns the operands of products for their kernels";
  let description = [{
    The operands of products with `lh.choice` are padded to its `rows`, `columns`
    and `sum` and turned as their kernel reads; convolutions become products of
    windows that an op with `lh.gather` gathers. `lh.kernel` names the strategy of
    what is laid out. Its instructions are noted on the module. A remark names
    each product without a choice, and says why; a choice for what no kernel can
    take is an error.

    Runs on tensors.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::index::IndexDialect",
    "::mlir::linalg::LinalgDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def LendKernelsPass : Pass<"lh-lend-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives a module the functions of schedules";
  let description = [{
    Copies the functions of the files `from` that the module lacks into it, as
    private ones: `transform.func.cast_and_call` finds a micro-kernel by name in
    the module that it works on. lh-run does so itself, and takes back those that
    nothing calls; here that is upstream's `symbol-dce`.

    Runs before a schedule with functions.
  }];
  let dependentDialects = [
    "::mlir::func::FuncDialect",
    "::mlir::transform::TransformDialect"
  ];
  let options = [
    ListOption<"from", "from", "std::string",
      "files of schedules">
  ];
}

def LoadContiguousPass : Pass<"lh-load-contiguous", "::mlir::func::FuncOp"> {
  let summary = "Gathers of neighbours load and store them as vectors";
  let description = [{
    Ops with `lh.gather` load and store `lh.contiguous` elements at once.

    Runs on memrefs.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def PlaceWorkgroupMemoryPass
    : Pass<"lh-place-workgroup-memory", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Workgroup memory as variables of a module, for SPIR-V";
  let description = [{
    Attributions of kernels become `memref.global`s, which take their sizes
    along: `convert-gpu-to-llvm-spv` makes kernels' arguments of them, for which
    the host would have to know how large they are. `#gpu.address_space` becomes
    SPIR-V's number in all types (workgroup 3, global 1, private 0): that pass
    knows the words in arguments alone, and `convert-to-llvm` takes numbers.

    Runs before `convert-gpu-to-llvm-spv`.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def CarryBf16Pass : Pass<"lh-carry-bf16", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Kernels hold bf16 as integers of 16 bits";
  let description = [{
    bf16 becomes i16 in all types and constants, for compilers that have no such
    type, as SPIR-V had none before SPV_KHR_bfloat16. What computes with bf16 is
    an error: `arith-emulate-unsupported-floats` and
    `arith-expand{include-bf16=true}` make such ops ones of f32 and of integers.

    Runs on the LLVM dialect, or on arith and scf.
  }];
}

def ExpandRemaindersPass : Pass<"lh-expand-remainders"> {
  let summary = "Remainders of floats in integers, exact";
  let description = [{
    `arith.remf` becomes a long division of the numbers' digits, in integers of
    64 bits: the exact remainder of C's `fmod`, which always is a number of the
    type. Vulkan's `OpFRem` is `x - y * trunc(x / y)`, as inexact as that is.

    Runs on scalars of up to 64 bits.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def ScalarizeVectorsPass : Pass<"lh-scalarize-vectors"> {
  let summary = "Numbers in the place of vectors, in loops too";
  let description = [{
    A vector of any shape becomes its numbers: constants, what computes number
    by number, broadcasts, extractions and insertions at known places, loads and
    stores, and what `scf` carries and yields. SPIR-V for shaders has vectors of
    up to four numbers, of one dimension; devices' compilers work by numbers.
    Other ops on vectors are an error.

    Runs on memrefs and `scf`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect"
  ];
}

def LaunchByAddressPass : Pass<"lh-launch-by-address", "::mlir::ModuleOp"> {
  let summary = "Kernels read and write memory by its address, for Vulkan";
  let description = [{
    What a `gpu.launch` takes from the host becomes numbers of 64 bits: of a
    buffer its address on the device, which the host asks `lh_device_address`
    for, and of its sizes and strides those that aren't known. Loads and stores
    become `spirv.Load` and `spirv.Store` of `PhysicalStorageBuffer`s, so that
    sizes may be open and there are as many buffers as one likes; upstream's
    `convert-gpu-to-spirv` makes a descriptor of each argument, of which devices
    have few, and refuses strides that aren't known. bf16 is loaded as i16, i1
    as i8, `index` as i64. Workgroup memory and `memref.alloca` stay as they are.

    Runs on `gpu.launch` with loads and stores of numbers, behind
    `fold-memref-alias-ops`, `expand-strided-metadata` and `lower-affine`, before
    kernels are outlined.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::spirv::SPIRVDialect"
  ];
}

def PrepareShadersPass : Pass<"lh-prepare-shaders", "::mlir::ModuleOp"> {
  let summary = "Kernels as upstream's conversion to SPIR-V takes them";
  let description = [{
    All kernels go to one `gpu.module`. Each says how many threads its blocks
    have (`spirv.entry_point_abi`), from `known_block_size`; its workgroup memory
    and its own get their storage classes; barriers order global memory, too,
    which upstream's don't; of the dialect `index`, of which
    `convert-gpu-to-spirv` knows nothing, additions, products and minima become
    arith's. The environment of `spirv-attach-target` gets subgroups of `lanes`,
    which shuffles are checked against: that pass can't say it.

    Runs between `spirv-attach-target` and `convert-gpu-to-spirv`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect",
    "::mlir::memref::MemRefDialect",
    "::mlir::spirv::SPIRVDialect"
  ];
  let options = [
    GapOption<"lanes", "lanes", "int32_t", "32", "lanes of a subgroup">
  ];
}

def PackShadersPass : Pass<"lh-pack-shaders", "::mlir::ModuleOp"> {
  let summary = "Shaders read their arguments from one buffer";
  let description = [{
    The arguments of each entry, all i64, become words of a storage buffer at
    binding 0 of set 0. Upstream's `spirv-lower-abi-attrs` gives each a binding
    of its own. The `gpu.func` that a shader was made of, which upstream leaves
    beside it for the host's code, is emptied: no lowering of that code is to
    stumble over it.

    Runs between `convert-gpu-to-spirv` and `spirv-lower-abi-attrs`.
  }];
}

#endif // LH_COMPILER_GAPS_GPU_PASSES_TD
