// Every named op becomes a generic, also one in a loop.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-3: linalg.generic
// CHECK-NOT:   linalg.{{matmul|fill|exp}}
func.func @main(%a: tensor<3x7xf32>, %b: tensor<7x5xf32>) -> tensor<3x5xf32> {
  %zero = arith.constant 0.0 : f32
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = arith.constant 2 : index
  %out = tensor.empty() : tensor<3x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<3x5xf32>)
      -> tensor<3x5xf32>
  %sum = scf.for %i = %first to %last step %step
      iter_args(%so_far = %init) -> tensor<3x5xf32> {
    %more = linalg.matmul ins(%a, %b : tensor<3x7xf32>, tensor<7x5xf32>)
                          outs(%so_far : tensor<3x5xf32>) -> tensor<3x5xf32>
    scf.yield %more : tensor<3x5xf32>
  }
  %e = linalg.exp ins(%sum : tensor<3x5xf32>) outs(%out : tensor<3x5xf32>)
      -> tensor<3x5xf32>
  return %e : tensor<3x5xf32>
}
