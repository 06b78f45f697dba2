// A matrix times a vector, and another one added: what is left where nothing is
// stored.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
func.func @main(%a: tensor<21x35xf64, #CSR> {lh.name = "a"}, %x: tensor<35xf64> {lh.name = "x"},
    %b: tensor<21xf64> {lh.name = "b"}) -> (tensor<21xf64> {lh.name = "y"}) {
  %y = linalg.matvec ins(%a, %x : tensor<21x35xf64, #CSR>, tensor<35xf64>)
      outs(%b : tensor<21xf64>) -> tensor<21xf64>
  return %y : tensor<21xf64>
}
