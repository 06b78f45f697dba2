// As many sums as fit a vector; the rest is 0.
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64xf32>)
    -> tensor<64xf32>
  %v = vector.transfer_read %x[%c0], %zero : tensor<64xf32>, vector<[4]xf32>
  %s = arith.addf %v, %v : vector<[4]xf32>
  %r = vector.transfer_write %s, %zeros[%c0]
    : vector<[4]xf32>, tensor<64xf32>
  return %r : tensor<64xf32>
}
