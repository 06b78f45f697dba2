func.func @main(%scores: tensor<5xf32>, %boxes: tensor<5x4xf32>)
    -> (tensor<?x3xi64> {lh.name = "all"}, tensor<2x3xi64> {lh.name = "two"}) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %five = arith.constant 5 : index
  %list = arith.constant dense<0> : tensor<5x3xi64>
  %found:2 = scf.for %i = %zero to %five step %one
      iter_args(%rows = %list, %count = %zero) -> (tensor<5x3xi64>, index) {
    %score = tensor.extract %scores[%i] : tensor<5xf32>
    %box = tensor.extract %boxes[%i, %zero] : tensor<5x4xf32>
    %good = arith.cmpf olt, %box, %score : f32
    %more = arith.addi %count, %one : index
    %next = arith.select %good, %more, %count : index
    scf.yield %rows, %next : tensor<5x3xi64>, index
  } {lh.selects = array<f64: 3.0, 0.5, 0.25, 0.0>}
  %all = tensor.extract_slice %found#0[0, 0] [%found#1, 3] [1, 1]
      : tensor<5x3xi64> to tensor<?x3xi64>
  %two = tensor.extract_slice %all[0, 0] [2, 3] [1, 1]
      : tensor<?x3xi64> to tensor<2x3xi64>
  return %all, %two : tensor<?x3xi64>, tensor<2x3xi64>
}
