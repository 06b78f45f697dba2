// A matrix times a vector; of the matrix, a row and a column for each element are stored.
#A = #sparse_tensor.encoding<{ map = (i, j) -> (i : compressed(nonunique), j : singleton(soa)), posWidth = 64, crdWidth = 32 }>
func.func @main(%a: tensor<52x36xf32, #A> {lh.name = "a"}, %x: tensor<36xf32> {lh.name = "x"})
    -> (tensor<52xf32> {lh.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<52xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<52xf32>) -> tensor<52xf32>
  %y = linalg.matvec ins(%a, %x : tensor<52x36xf32, #A>, tensor<36xf32>)
      outs(%init : tensor<52xf32>) -> tensor<52xf32>
  return %y : tensor<52xf32>
}
