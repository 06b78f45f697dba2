// Few points of long sums: a block for each, whose threads combine their shares.
// What a shuffle doesn't take (f64) is summed up by a thread.
// KERNELS-LABEL: func.func @main
// KERNELS:       gpu.launch
// KERNELS:       gpu.launch
// KERNELS:         gpu.shuffle
// KERNELS:       gpu.launch
// KERNELS:       gpu.launch
// KERNELS-NOT:     gpu.shuffle
// KERNELS:       return
#id = affine_map<(i, j, k) -> (i, j, k)>
#one = affine_map<(i, j, k) -> (j)>
func.func @main(%x: tensor<17x3x41xf32>, %w: tensor<17x3x41xf64>)
    -> (tensor<3xf32>, tensor<3xf64>) {
  %zero = arith.constant 0.0 : f32
  %wide = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
  %s = linalg.generic {indexing_maps = [#id, #one],
      iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x : tensor<17x3x41xf32>) outs(%s0 : tensor<3xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %a : f32
    %v = arith.addf %q, %b : f32
    linalg.yield %v : f32
  } -> tensor<3xf32>
  %we = tensor.empty() : tensor<3xf64>
  %w0 = linalg.fill ins(%wide : f64) outs(%we : tensor<3xf64>) -> tensor<3xf64>
  %ws = linalg.generic {indexing_maps = [#id, #one],
      iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%w : tensor<17x3x41xf64>) outs(%w0 : tensor<3xf64>) {
  ^bb0(%a: f64, %b: f64):
    %v = arith.addf %a, %b : f64
    linalg.yield %v : f64
  } -> tensor<3xf64>
  return %s, %ws : tensor<3xf32>, tensor<3xf64>
}
