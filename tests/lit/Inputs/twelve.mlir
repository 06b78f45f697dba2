func.func @main(%x: tensor<192xf32>) -> tensor<192xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<192xf32>
  %v = vector.transfer_read %x[%c0], %zero : tensor<192xf32>, vector<[12]xf32>
  %s = arith.addf %v, %v : vector<[12]xf32>
  %r = vector.transfer_write %s, %empty[%c0]
    : vector<[12]xf32>, tensor<192xf32>
  return %r : tensor<192xf32>
}
