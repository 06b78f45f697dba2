// A number for each row starts the sums in registers, where columns fill whole
// panels (of 16 or 32); two products may share it. Of 21 columns it is added behind.
// CHECK-NOT: linalg.unpack
// CHECK: [[BIAS:%.*]] = vector.transfer_read {{.*}} : tensor<13xf32>, vector<
// CHECK: [[SPREAD:%.*]] = vector.broadcast [[BIAS]]
// CHECK: [[START:%.*]] = vector.transpose [[SPREAD]]
// CHECK: scf.for {{.*}} iter_args({{.*}} = [[START]])
// CHECK: vector.contract
// CHECK: arith.addf
func.func @main(%a: tensor<13x9xf32>, %b: tensor<9x96xf32>, %c: tensor<9x21xf32>, %bias: tensor<13xf32>)
    -> (tensor<13x96xf32>, tensor<13x96xf32>, tensor<13x21xf32>) {
  %wide = tensor.empty() : tensor<13x96xf32>
  %narrow = tensor.empty() : tensor<13x21xf32>
  %0 = linalg.broadcast ins(%bias : tensor<13xf32>) outs(%wide : tensor<13x96xf32>) dimensions = [1]
  %1 = linalg.matmul ins(%a, %b : tensor<13x9xf32>, tensor<9x96xf32>)
      outs(%0 : tensor<13x96xf32>) -> tensor<13x96xf32>
  %d = tensor.extract_slice %1[0, 0] [9, 96] [1, 1] : tensor<13x96xf32> to tensor<9x96xf32>
  %2 = linalg.matmul ins(%a, %d : tensor<13x9xf32>, tensor<9x96xf32>)
      outs(%0 : tensor<13x96xf32>) -> tensor<13x96xf32>
  %3 = linalg.broadcast ins(%bias : tensor<13xf32>) outs(%narrow : tensor<13x21xf32>) dimensions = [1]
  %4 = linalg.matmul ins(%a, %c : tensor<13x9xf32>, tensor<9x21xf32>)
      outs(%3 : tensor<13x21xf32>) -> tensor<13x21xf32>
  return %1, %2, %4 : tensor<13x96xf32>, tensor<13x96xf32>, tensor<13x21xf32>
}
