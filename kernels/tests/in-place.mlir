// A is written in place of a slice whose numbers don't lie side by side.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   call
// CHECK:       linalg.matmul
func.func @main(%w: tensor<29x40xf32>, %x: tensor<29x20xf32>, %b: tensor<20x70xf32>)
    -> tensor<29x70xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<29x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<29x70xf32>) -> tensor<29x70xf32>
  %every = tensor.extract_slice %w[0, 0] [29, 20] [1, 2]
      : tensor<29x40xf32> to tensor<29x20xf32>
  %a = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<29x20xf32>) outs(%every : tensor<29x20xf32>) {
  ^bb0(%in: f32, %old: f32):
    %sum = arith.addf %in, %old : f32
    linalg.yield %sum : f32
  } -> tensor<29x20xf32>
  %product = linalg.matmul ins(%a, %b : tensor<29x20xf32>, tensor<20x70xf32>)
      outs(%start : tensor<29x70xf32>) -> tensor<29x70xf32>
  return %product : tensor<29x70xf32>
}
