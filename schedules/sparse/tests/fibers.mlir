// A tensor of three dimensions, all compressed (CSF), times a vector.
#CSF = #sparse_tensor.encoding<{ map = (i, j, k) -> (i : compressed, j : compressed, k : compressed), posWidth = 32, crdWidth = 32 }>
#ttv = {
  indexing_maps = [affine_map<(i, j, k) -> (i, j, k)>, affine_map<(i, j, k) -> (k)>,
                   affine_map<(i, j, k) -> (i, j)>],
  iterator_types = ["parallel", "parallel", "reduction"]
}
func.func @main(%a: tensor<7x5x23xf32, #CSF> {lh.name = "a"}, %x: tensor<23xf32> {lh.name = "x"})
    -> (tensor<7x5xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<7x5xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<7x5xf32>) -> tensor<7x5xf32>
  %y = linalg.generic #ttv ins(%a, %x : tensor<7x5x23xf32, #CSF>, tensor<23xf32>)
      outs(%init : tensor<7x5xf32>) {
  ^bb0(%av: f32, %xv: f32, %acc: f32):
    %p = arith.mulf %av, %xv : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<7x5xf32>
  return %y : tensor<7x5xf32>
}
