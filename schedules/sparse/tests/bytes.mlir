// Bytes, summed in 32 bits.
#CSR = #sparse_tensor.encoding<{ map = (i, j) -> (i : dense, j : compressed), posWidth = 32, crdWidth = 32 }>
#spmv = {
  indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
  iterator_types = ["parallel", "reduction"]
}
func.func @main(%a: tensor<33x47xi8, #CSR> {lh.name = "a"}, %x: tensor<47xi8> {lh.name = "x"})
    -> (tensor<33xi32> {lh.name = "y"}) {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<33xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<33xi32>) -> tensor<33xi32>
  %y = linalg.generic #spmv ins(%a, %x : tensor<33x47xi8, #CSR>, tensor<47xi8>)
      outs(%init : tensor<33xi32>) {
  ^bb0(%av: i8, %xv: i8, %acc: i32):
    %aw = arith.extsi %av : i8 to i32
    %xw = arith.extsi %xv : i8 to i32
    %p = arith.muli %aw, %xw : i32
    %s = arith.addi %acc, %p : i32
    linalg.yield %s : i32
  } -> tensor<33xi32>
  return %y : tensor<33xi32>
}
