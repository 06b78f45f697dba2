// The same with bf16, which upstream leaves to kernels in text.
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "{{mma|wgmma|mfma|wmma}}-bf16"
// 
// TILE-NOT:   func.call
// TILE:       {{amdgpu.mfma|amdgpu.wmma|nvgpu.warpgroup.mma|nvvm.mma.sync}}
// 
// MAP:        gpu.launch
// MAP:        {{amdgpu.mfma|amdgpu.wmma|xevm.mma|nvgpu.warpgroup.mma|nvvm.mma.sync}}
func.func @main(%a: tensor<67x40xbf16>, %b: tensor<40x71xbf16>)
    -> tensor<67x71xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<67x71xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<67x71xf32>)
      -> tensor<67x71xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<67x40xbf16>, tensor<40x71xbf16>)
      outs(%zeros : tensor<67x71xf32>) -> tensor<67x71xf32>
  return %product : tensor<67x71xf32>
}
