// Matrix units of each sort, by a target's facts.
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "{{mma|wgmma|mfma|wmma}}-f16"
// 
// TILE-NOT:   func.call
// TILE:       {{amdgpu.mfma|amdgpu.wmma|nvgpu.warpgroup.mma|lh.kernel = "mma-f16"}}
// 
// MAP:        gpu.launch
// MAP:        {{amdgpu.mfma|amdgpu.wmma|xevm.mma|nvgpu.warpgroup.mma|nvgpu.mma.sync}}
// MAP:        store {{.*}} : memref<67x71xf32>
func.func @main(%a: tensor<67x40xf16>, %b: tensor<40x71xf16>)
    -> tensor<67x71xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<67x71xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<67x71xf32>)
      -> tensor<67x71xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<67x40xf16>, tensor<40x71xf16>)
      outs(%zeros : tensor<67x71xf32>) -> tensor<67x71xf32>
  return %product : tensor<67x71xf32>
}
