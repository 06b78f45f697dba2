// B has a row for each column of C.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.pack %arg1
// CHECK:       call @"{{[^"]*}}.product"(
// CHECK-NOT:   linalg.generic
func.func @main(%a: tensor<29x20xf32>, %b: tensor<70x20xf32>)
    -> tensor<29x70xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<29x70xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<29x70xf32>) -> tensor<29x70xf32>
  %product = linalg.generic {
      indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>,
                       affine_map<(i, j, l) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<29x20xf32>, tensor<70x20xf32>) outs(%start : tensor<29x70xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %xy = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %xy : f32
    linalg.yield %next : f32
  } -> tensor<29x70xf32>
  return %product : tensor<29x70xf32>
}
