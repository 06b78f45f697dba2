// Matrix units of each sort, by a target's facts.
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "{{mma|wgmma|mfma|wmma}}-f16"
// 
// TILE-NOT:   func.call
// TILE:       {{amdgpu.mfma|amdgpu.wmma|nvgpu.warpgroup.mma|lh.kernel = "mma-f16"}}
// 
// MAP:        gpu.launch
// MAP:        {{amdgpu.mfma|amdgpu.wmma|nvgpu.warpgroup.mma|nvgpu.mma.sync}}
// MAP:        store {{.*}} : memref<33x65xf32>
func.func @main(%a: tensor<33x40xf16>, %b: tensor<40x65xf16>)
    -> tensor<33x65xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<33x65xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<33x65xf32>)
      -> tensor<33x65xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<33x40xf16>, tensor<40x65xf16>)
      outs(%zeros : tensor<33x65xf32>) -> tensor<33x65xf32>
  return %product : tensor<33x65xf32>
}
