// A sum over pixels of two images, of which one has channels innermost: that one is
// turned in blocks, in front of the sum.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK:       arith.addf
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "reduction", "reduction"]
// VECTOR-LABEL: func.func @main
// VECTOR:       vector.transfer_read {{.*}}vector<16x16xf32>
// VECTOR:       arith.addf {{.*}} : vector<16x16xf32>
#chw = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#hwc = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
#c = affine_map<(d0, d1, d2) -> (d0)>
func.func @main(%a: tensor<20x5x7xf32>, %b: tensor<5x7x20xf32>) -> tensor<20xf32> {
  %zero = arith.constant 0.0 : f32
  %image = tensor.empty() : tensor<20x5x7xf32>
  %both = linalg.generic {indexing_maps = [#chw, #hwc, #chw],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %b : tensor<20x5x7xf32>, tensor<5x7x20xf32>) outs(%image : tensor<20x5x7xf32>) {
  ^bb0(%x: f32, %y: f32, %unused: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<20x5x7xf32>
  %none = tensor.empty() : tensor<20xf32>
  %start = linalg.fill ins(%zero : f32) outs(%none : tensor<20xf32>) -> tensor<20xf32>
  %sums = linalg.generic {indexing_maps = [#chw, #c],
      iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%both : tensor<20x5x7xf32>) outs(%start : tensor<20xf32>) {
  ^bb0(%x: f32, %sum: f32):
    %next = arith.addf %x, %sum : f32
    linalg.yield %next : f32
  } -> tensor<20xf32>
  return %sums : tensor<20xf32>
}
