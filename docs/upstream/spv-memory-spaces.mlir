// Kind: refusal
// Fault: `convert-gpu-to-llvm-spv` numbers `#gpu.address_space` in kernels' arguments and leaves it in all other types, which `convert-to-llvm` can't convert.
// Expected: A global in address space 3, as `convert-gpu-to-nvvm` and `convert-gpu-to-rocdl` make it.
// Ours: `lh-place-workgroup-memory`
// Change: `GPUToLLVMSPVConversionPass` in `mlir/lib/Conversion/GPUToLLVMSPV/GPUToLLVMSPV.cpp` marks `gpu` ops illegal alone; add the patterns of memref with its own type converter.
// Upstream: No report known
//
// RUN: mlir-opt %s --pass-pipeline='builtin.module(gpu.module(convert-gpu-to-llvm-spv{use-64bit-index=true},convert-to-llvm))' 2>&1 | FileCheck %s
// CHECK: conversion of memref memory space #gpu.address_space<workgroup> to integer address space failed
gpu.module @kernels {
  memref.global "private" @tile : memref<16xf32, #gpu.address_space<workgroup>> = uninitialized
  gpu.func @k(%out: memref<16xf32>) kernel {
    %i = gpu.thread_id x
    %tile = memref.get_global @tile : memref<16xf32, #gpu.address_space<workgroup>>
    %x = memref.load %tile[%i] : memref<16xf32, #gpu.address_space<workgroup>>
    memref.store %x, %out[%i] : memref<16xf32>
    gpu.return
  }
}
