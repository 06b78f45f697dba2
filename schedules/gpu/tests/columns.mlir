// A mean over the first dimension, taken off each column: a block has a strip of
// columns, a thread each, and the last strip is short.
// ROWS-LABEL: func.func @main
// ROWS:       scf.forall
// ROWS:         arith.addf
// ROWS:         arith.subf
//
// KERNELS-LABEL: func.func @main
// KERNELS:       gpu.launch
// KERNELS-NOT:     gpu.shuffle
// KERNELS:         scf.for {{.*}} iter_args
// KERNELS:           arith.addf
// KERNELS:         gpu.barrier
// KERNELS:         arith.subf
// KERNELS-NOT:   gpu.launch
#id = affine_map<(i, j) -> (i, j)>
#column = affine_map<(i, j) -> (j)>
func.func @main(%x: tensor<35x77xf32>) -> tensor<35x77xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 35.0 : f32
  %e = tensor.empty() : tensor<35x77xf32>
  %r = tensor.empty() : tensor<77xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<77xf32>) -> tensor<77xf32>
  %s = linalg.generic {indexing_maps = [#id, #column],
      iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<35x77xf32>) outs(%s0 : tensor<77xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<77xf32>
  %y = linalg.generic {indexing_maps = [#id, #column, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<35x77xf32>, tensor<77xf32>)
      outs(%e : tensor<35x77xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %mean = arith.divf %b, %count : f32
    %v = arith.subf %a, %mean : f32
    linalg.yield %v : f32
  } -> tensor<35x77xf32>
  return %y : tensor<35x77xf32>
}
