// What a product starts with is added behind it.
// CHECK: linalg.fill
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]{{.*}}{product}
// CHECK: arith.addf
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: arith.addf
func.func @main(%a: tensor<13x9xf32>, %b: tensor<9x21xf32>, %c: tensor<13x21xf32>)
    -> tensor<13x21xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<13x9xf32>, tensor<9x21xf32>)
      outs(%c : tensor<13x21xf32>) -> tensor<13x21xf32>
  return %0 : tensor<13x21xf32>
}
