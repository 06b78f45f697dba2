// Kind: refusal
// Fault: A function with an op of the dialect `nvgpu` is never inlined: the dialect has no inliner interface. A micro-kernel written in MLIR text stays a call. `amdgpu` has the interface.
// Expected: The call replaced by the op.
// Ours: `engine/compiler/gaps/gpu/InlineKernels.cpp` adds the interface
// Change: Add a `DialectInlinerInterface` whose `isLegalToInline` returns true in `NVGPUDialect::initialize` (`mlir/lib/Dialect/NVGPU/IR/NVGPUDialect.cpp`), as `AMDGPUInlinerInterface` in `mlir/lib/Dialect/AMDGPU/IR/AMDGPUDialect.cpp`.
// Upstream: No report known
//
// RUN: mlir-opt %s -inline | FileCheck %s

func.func private @kernel(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) -> vector<2x2xf16> {
  %d = nvgpu.mma.sync(%a, %b, %c) {mmaShape = [16, 8, 16]} : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return %d : vector<2x2xf16>
}

// CHECK-LABEL: func.func @nvidia
//       CHECK:   call @kernel
func.func @nvidia(%a: vector<4x2xf16>, %b: vector<2x2xf16>, %c: vector<2x2xf16>) -> vector<2x2xf16> {
  %d = call @kernel(%a, %b, %c) : (vector<4x2xf16>, vector<2x2xf16>, vector<2x2xf16>) -> vector<2x2xf16>
  return %d : vector<2x2xf16>
}

func.func private @amd_kernel(%a: vector<4xf16>, %c: vector<4xf32>) -> vector<4xf32> {
  %d = amdgpu.mfma 16x16x16 %a * %a + %c blgp = none : vector<4xf16>, vector<4xf16>, vector<4xf32>
  return %d : vector<4xf32>
}

// CHECK-LABEL: func.func @amd
//  CHECK-NEXT:   amdgpu.mfma
func.func @amd(%a: vector<4xf16>, %c: vector<4xf32>) -> vector<4xf32> {
  %d = call @amd_kernel(%a, %c) : (vector<4xf16>, vector<4xf32>) -> vector<4xf32>
  return %d : vector<4xf32>
}
