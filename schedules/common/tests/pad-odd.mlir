// A start that is no zero is padded, too; what would be zeros nearly all stays.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x68xf32>, tensor<68x192xf32>) outs(%{{.*}} : tensor<64x192xf32>)
// CHECK:       tensor.extract_slice %{{.*}}[0, 0] [33, 129] [1, 1]
// CHECK:       linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK:       linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<1x4xf32>, tensor<4x1xf32>)
func.func @main(%a: tensor<33x65xf32>, %b: tensor<65x129xf32>, %c: tensor<33x129xf32>,
    %d: tensor<64x64xf32>, %e: tensor<1x4xf32>, %f: tensor<4x1xf32>)
    -> (tensor<33x129xf32>, tensor<64x64xf32>, tensor<1x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %odd = linalg.matmul ins(%a, %b : tensor<33x65xf32>, tensor<65x129xf32>)
      outs(%c : tensor<33x129xf32>) -> tensor<33x129xf32>
  %out = tensor.empty() : tensor<64x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<64x64xf32>) -> tensor<64x64xf32>
  %whole = linalg.matmul ins(%d, %d : tensor<64x64xf32>, tensor<64x64xf32>)
      outs(%start : tensor<64x64xf32>) -> tensor<64x64xf32>
  %one = tensor.empty() : tensor<1x1xf32>
  %first = linalg.fill ins(%zero : f32) outs(%one : tensor<1x1xf32>) -> tensor<1x1xf32>
  %little = linalg.matmul ins(%e, %f : tensor<1x4xf32>, tensor<4x1xf32>)
      outs(%first : tensor<1x1xf32>) -> tensor<1x1xf32>
  return %odd, %whole, %little : tensor<33x129xf32>, tensor<64x64xf32>, tensor<1x1xf32>
}
