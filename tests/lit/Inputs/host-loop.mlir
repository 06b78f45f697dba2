// A kernel whose result a loop on the host reads and turns round.
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = arith.constant 7 : index
  %end = arith.constant 8 : index
  %empty = tensor.empty() : tensor<8xf32>
  %y = linalg.add ins(%x, %x : tensor<8xf32>, tensor<8xf32>)
    outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %turned = tensor.empty() : tensor<8xf32>
  %r = scf.for %i = %first to %end step %step
      iter_args(%sofar = %turned) -> tensor<8xf32> {
    %v = tensor.extract %y[%i] : tensor<8xf32>
    %j = arith.subi %last, %i : index
    %next = tensor.insert %v into %sofar[%j] : tensor<8xf32>
    scf.yield %next : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
