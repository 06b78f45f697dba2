func.func @main(%x: tensor<1xi32>) -> tensor<1xi32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<1xi32>
  %min = arith.constant -2147483648 : i32
  %ok = arith.cmpi slt, %v, %min : i32
  cf.assert %ok, "less than the least"
  return %x : tensor<1xi32>
}
