// What the kernel doesn't compute follows the call.
// CHECK-LABEL: func.func @main
// CHECK:       call @"{{[^"]*}}.product"(
// CHECK:       math.tanh
func.func @main(%a: tensor<29x20xf32>, %b: tensor<20x70xf32>, %bias: tensor<70xf32>)
    -> tensor<29x70xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<29x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<29x70xf32>) -> tensor<29x70xf32>
  %product = linalg.matmul ins(%a, %b : tensor<29x20xf32>, tensor<20x70xf32>)
      outs(%start : tensor<29x70xf32>) -> tensor<29x70xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<29x70xf32>, tensor<70xf32>) outs(%out : tensor<29x70xf32>) {
  ^bb0(%x: f32, %d: f32, %o: f32):
    %s = arith.addf %x, %d : f32
    %r = math.tanh %s : f32
    linalg.yield %r : f32
  } -> tensor<29x70xf32>
  return %result : tensor<29x70xf32>
}
