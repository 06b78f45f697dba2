// A product and a rectifier, as small as can be.
func.func @main(%a: tensor<6x8xf32>, %b: tensor<8x10xf32>) -> tensor<6x10xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6x10xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x10xf32>)
      -> tensor<6x10xf32>
  %product = linalg.matmul ins(%a, %b : tensor<6x8xf32>, tensor<8x10xf32>)
      outs(%zeros : tensor<6x10xf32>) -> tensor<6x10xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product : tensor<6x10xf32>) outs(%empty : tensor<6x10xf32>) {
  ^bb0(%x: f32, %out: f32):
    %r = arith.maximumf %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<6x10xf32>
  return %result : tensor<6x10xf32>
}
