// A batch, and all that follows: bias, GELU, residual, rounding.
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "{{mma|mfma|wmma}}-f16"
// CHOOSE:     math.erf
// 
// TILE:       mapping = [#gpu.block<z>, #gpu.block<y>, #gpu.block<x>]
// 
// MAP:        gpu.launch
// MAP:        math.erf
// MAP:        memref.store {{.*}} : memref<3x17x31xf16>
// MAP-NOT:    linalg.generic
func.func @main(%a: tensor<3x17x9xf16>, %b: tensor<3x9x31xf16>,
                %bias: tensor<31xf32>, %residual: tensor<3x17x31xf16>)
    -> tensor<3x17x31xf16> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x17x31xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x17x31xf32>)
      -> tensor<3x17x31xf32>
  %product = linalg.batch_matmul
      ins(%a, %b : tensor<3x17x9xf16>, tensor<3x9x31xf16>)
      outs(%zeros : tensor<3x17x31xf32>) -> tensor<3x17x31xf32>
  %out = tensor.empty() : tensor<3x17x31xf16>
  %result = linalg.generic {
      indexing_maps = [affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (n)>,
                       affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%product, %bias, %residual
          : tensor<3x17x31xf32>, tensor<31xf32>, tensor<3x17x31xf16>)
      outs(%out : tensor<3x17x31xf16>) {
  ^bb0(%x: f32, %y: f32, %r: f16, %old: f16):
    %half = arith.constant 0.5 : f32
    %one = arith.constant 1.0 : f32
    %root = arith.constant 0.70710678 : f32
    %sum = arith.addf %x, %y : f32
    %scaled = arith.mulf %sum, %root : f32
    %erf = math.erf %scaled : f32
    %up = arith.addf %erf, %one : f32
    %part = arith.mulf %sum, %half : f32
    %gelu = arith.mulf %part, %up : f32
    %wide = arith.extf %r : f16 to f32
    %all = arith.addf %gelu, %wide : f32
    %narrow = arith.truncf %all : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<3x17x31xf16>
  return %result : tensor<3x17x31xf16>
}
