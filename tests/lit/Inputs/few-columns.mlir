// A product of fewer columns than two strips of the shortest scalable vectors.
func.func @main(%w: tensor<12x16xf32>, %x: tensor<16x17xf32>, %b: tensor<12xf32>) -> tensor<12x17xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x17xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<12x17xf32>) -> tensor<12x17xf32>
  %p = linalg.matmul ins(%w, %x : tensor<12x16xf32>, tensor<16x17xf32>)
      outs(%z : tensor<12x17xf32>) -> tensor<12x17xf32>
  %q = linalg.square ins(%p : tensor<12x17xf32>) outs(%e : tensor<12x17xf32>) -> tensor<12x17xf32>
  return %q : tensor<12x17xf32>
}
