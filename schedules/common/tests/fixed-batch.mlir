// A loop over the batch is the outermost.
// CHECK-LABEL: func.func @main
// CHECK:       scf.for
// CHECK:       linalg.matmul {lh.choice = #dlti.map<{{.*}}"fixed"{{.*}}>} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK-NOT:   linalg.{{matmul|batch_matmul|pack|unpack|conv}}
func.func @main(%a: tensor<3x70x40xf32>, %b: tensor<3x40x65xf32>) -> tensor<3x70x65xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<3x70x65xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<3x70x65xf32>) -> tensor<3x70x65xf32>
  %product = linalg.batch_matmul ins(%a, %b : tensor<3x70x40xf32>, tensor<3x40x65xf32>)
      outs(%start : tensor<3x70x65xf32>) -> tensor<3x70x65xf32>
  return %product : tensor<3x70x65xf32>
}
