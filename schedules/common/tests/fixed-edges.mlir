// Rows that fill two tiles, one of a single row; columns that fill none.
// CHECK-LABEL: func.func @main
// CHECK:       scf.for
// CHECK:       linalg.matmul {lh.choice = #dlti.map<{{.*}}"fixed"{{.*}}>} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK-NOT:   linalg.{{matmul|batch_matmul|pack|unpack|conv}}
func.func @main(%a: tensor<65x64xf32>, %b: tensor<64x63xf32>) -> tensor<65x63xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<65x63xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<65x63xf32>) -> tensor<65x63xf32>
  %product = linalg.matmul ins(%a, %b : tensor<65x64xf32>, tensor<64x63xf32>)
      outs(%start : tensor<65x63xf32>) -> tensor<65x63xf32>
  return %product : tensor<65x63xf32>
}
