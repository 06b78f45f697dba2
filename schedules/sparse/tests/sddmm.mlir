// A dense product, computed where a sparse matrix has elements, and multiplied
// by them.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#sddmm = {
  indexing_maps = [affine_map<(i, j, k) -> (i, j)>, affine_map<(i, j, k) -> (i, k)>,
                   affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
func.func @main(%s: tensor<29x31xf32, #CSR> {lh.name = "s"}, %a: tensor<29x17xf32> {lh.name = "a"},
    %b: tensor<17x31xf32> {lh.name = "b"}) -> (tensor<29x31xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<29x31xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<29x31xf32>) -> tensor<29x31xf32>
  %y = linalg.generic #sddmm
      ins(%s, %a, %b : tensor<29x31xf32, #CSR>, tensor<29x17xf32>, tensor<17x31xf32>)
      outs(%init : tensor<29x31xf32>) {
  ^bb0(%sv: f32, %av: f32, %bv: f32, %acc: f32):
    %p = arith.mulf %av, %bv : f32
    %q = arith.mulf %sv, %p : f32
    %r = arith.addf %acc, %q : f32
    linalg.yield %r : f32
  } -> tensor<29x31xf32>
  return %y : tensor<29x31xf32>
}
