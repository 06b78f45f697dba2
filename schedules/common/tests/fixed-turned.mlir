// Operands of which one, or both, lie the other way round are turned.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: linalg.matmul {lh.choice = #dlti.map<{{.*}}"fixed"{{.*}}>} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK-NOT:   linalg.{{matmul|batch_matmul|pack|unpack}}
#mk = affine_map<(m, n, k) -> (m, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>
func.func @main(%a: tensor<70x33xf32>, %b: tensor<65x33xf32>, %c: tensor<70x90xf32>,
    %d: tensor<65x70xf32>) -> (tensor<70x65xf32>, tensor<90x65xf32>) {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<70x65xf32>
  %start = linalg.fill ins(%zero : f32) outs(%out : tensor<70x65xf32>) -> tensor<70x65xf32>
  %first = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%a, %b : tensor<70x33xf32>, tensor<65x33xf32>)
      outs(%start : tensor<70x65xf32>) -> tensor<70x65xf32>
  %out2 = tensor.empty() : tensor<90x65xf32>
  %start2 = linalg.fill ins(%zero : f32) outs(%out2 : tensor<90x65xf32>) -> tensor<90x65xf32>
  %second = linalg.generic {indexing_maps = [#km, #nk, #mn],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%c, %d : tensor<70x90xf32>, tensor<65x70xf32>)
      outs(%start2 : tensor<90x65xf32>) {
  ^bb0(%left: f32, %right: f32, %sum: f32):
    %product = arith.mulf %left, %right : f32
    %more = arith.addf %sum, %product : f32
    linalg.yield %more : f32
  } -> tensor<90x65xf32>
  return %first, %second : tensor<70x65xf32>, tensor<90x65xf32>
}
