// Two sums of each row by one op, and their quotients.
// VECTOR-LABEL: func.func @main
// VECTOR:       scf.for
// VECTOR:         linalg.generic {{.*}} iterator_types = ["reduction"]}
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#one = affine_map<(i) -> (i)>
func.func @main(%x: tensor<5x150xf32>) -> tensor<5xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %sums:2 = linalg.generic {indexing_maps = [#id, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x150xf32>) outs(%z, %z : tensor<5xf32>, tensor<5xf32>) {
  ^bb0(%a: f32, %s: f32, %t: f32):
    %square = arith.mulf %a, %a : f32
    %n = arith.addf %s, %a : f32
    %m = arith.addf %t, %square : f32
    linalg.yield %n, %m : f32, f32
  } -> (tensor<5xf32>, tensor<5xf32>)
  %y = linalg.generic {indexing_maps = [#one, #one, #one], iterator_types = ["parallel"]}
      ins(%sums#0, %sums#1 : tensor<5xf32>, tensor<5xf32>) outs(%e : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %q = arith.divf %a, %b : f32
    linalg.yield %q : f32
  } -> tensor<5xf32>
  return %y : tensor<5xf32>
}
