// Two sparse matrices, multiplied where both have elements.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#rows = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>,
                   affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
func.func @main(%a: tensor<23x31xf32, #CSR> {lh.name = "a"}, %b: tensor<23x31xf32, #CSR> {lh.name = "b"},
    %x: tensor<31xf32> {lh.name = "x"}) -> (tensor<23xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<23xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<23xf32>) -> tensor<23xf32>
  %y = linalg.generic #rows
      ins(%a, %b, %x : tensor<23x31xf32, #CSR>, tensor<23x31xf32, #CSR>, tensor<31xf32>)
      outs(%init : tensor<23xf32>) {
  ^bb0(%av: f32, %bv: f32, %xv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %q = arith.mulf %p, %xv : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<23xf32>
  return %y : tensor<23xf32>
}
