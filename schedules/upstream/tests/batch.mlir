// A batch is a loop over products.
// CHECK: scf.forall (%{{.*}}) in (3)
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]{{.*}}{product}
func.func @main(%a: tensor<3x7x5xf32>, %b: tensor<3x5x6xf32>) -> tensor<3x7x6xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x7x6xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x7x6xf32>)
      -> tensor<3x7x6xf32>
  %0 = linalg.batch_matmul ins(%a, %b : tensor<3x7x5xf32>, tensor<3x5x6xf32>)
      outs(%start : tensor<3x7x6xf32>) -> tensor<3x7x6xf32>
  return %0 : tensor<3x7x6xf32>
}
