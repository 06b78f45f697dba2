// Few rows: small tiles, of which each holds as much of the sum as large ones do.
// On AMD's CDNA they hold twice as much.
// CHOOSE:     tensor<32x{{96|128}}xbf16>
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "{{mma-bf16-thin|mfma-bf16|wmma-bf16}}"
// 
// TILE:       scf.forall (%{{.*}}, %{{.*}}) in (1, 4)
// TILE:       {{amdgpu.mfma|amdgpu.wmma|nvvm.mma.sync}}
// TILE:       lh.threads = #dlti.map<"left_rows" = 32
// 
// MAP-LABEL:  func.func @main
// MAP:        gpu.launch
// MAP:        {{amdgpu.mfma|amdgpu.wmma|xevm.mma|nvvm.mma.sync}}
func.func @main(%a: tensor<9x70xbf16>, %b: tensor<70x100xbf16>)
    -> tensor<9x100xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<9x100xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<9x100xf32>)
      -> tensor<9x100xf32>
  %product = linalg.matmul
      ins(%a, %b : tensor<9x70xbf16>, tensor<70x100xbf16>)
      outs(%zeros : tensor<9x100xf32>) -> tensor<9x100xf32>
  return %product : tensor<9x100xf32>
}
