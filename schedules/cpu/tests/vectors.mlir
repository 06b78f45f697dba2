// Products of vectors are products of matrices with one row or column.
// CHECK-LABEL: func.func @main
//       CHECK: %[[X:.*]] = tensor.expand_shape %arg1 {{.*}} tensor<70xf32> into tensor<70x1xf32>
//       CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %[[X]] : tensor<37x70xf32>, tensor<70x1xf32>)
//       CHECK: %[[V:.*]] = tensor.expand_shape {{.*}} tensor<37xf32> into tensor<1x37xf32>
//       CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[V]], %arg0 : tensor<1x37xf32>, tensor<37x70xf32>)
//       CHECK: linalg.generic {{.*}} ins({{.*}} : tensor<1x70xf32>, tensor<70x1xf32>)
//       CHECK: linalg.generic {{.*}} ins(%arg2, {{.*}} : tensor<?x?x33xf32>, tensor<?x33x1xf32>)
func.func @main(%a: tensor<37x70xf32> {lh.name = "a"}, %x: tensor<70xf32> {lh.name = "x"},
    %batch: tensor<?x?x33xf32> {lh.name = "batch"}, %rows: tensor<?x33xf32> {lh.name = "rows"})
    -> (tensor<70xf32> {lh.name = "y"}, tensor<f32> {lh.name = "d"}, tensor<?x?xf32> {lh.name = "z"}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e1 = tensor.empty() : tensor<37xf32>
  %i1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<37xf32>) -> tensor<37xf32>
  %u = linalg.matvec ins(%a, %x : tensor<37x70xf32>, tensor<70xf32>) outs(%i1 : tensor<37xf32>) -> tensor<37xf32>
  // Onto numbers, not onto zeros.
  %y = linalg.vecmat ins(%u, %a : tensor<37xf32>, tensor<37x70xf32>) outs(%x : tensor<70xf32>) -> tensor<70xf32>
  %e2 = tensor.empty() : tensor<f32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<f32>) -> tensor<f32>
  %d = linalg.dot ins(%y, %x : tensor<70xf32>, tensor<70xf32>) outs(%i2 : tensor<f32>) -> tensor<f32>
  %b = tensor.dim %batch, %c0 : tensor<?x?x33xf32>
  %m = tensor.dim %batch, %c1 : tensor<?x?x33xf32>
  %e3 = tensor.empty(%b, %m) : tensor<?x?xf32>
  %i3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.batch_matvec ins(%batch, %rows : tensor<?x?x33xf32>, tensor<?x33xf32>) outs(%i3 : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %y, %d, %z : tensor<70xf32>, tensor<f32>, tensor<?x?xf32>
}
