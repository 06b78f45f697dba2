// A product of a type that no GPU kernel takes, and a smaller one of open size.
func.func @main(%a: tensor<6x7xf64>, %b: tensor<7x5xf64>, %c: tensor<?x5xf32>,
                %d: tensor<5x3xf32>) -> (tensor<6x5xf64>, tensor<?x3xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %none = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<6x5xf64>
  %zeros = linalg.fill ins(%zero : f64) outs(%empty : tensor<6x5xf64>)
      -> tensor<6x5xf64>
  %y = linalg.matmul ins(%a, %b : tensor<6x7xf64>, tensor<7x5xf64>)
      outs(%zeros : tensor<6x5xf64>) -> tensor<6x5xf64>
  %rows = tensor.dim %c, %c0 : tensor<?x5xf32>
  %open = tensor.empty(%rows) : tensor<?x3xf32>
  %start = linalg.fill ins(%none : f32) outs(%open : tensor<?x3xf32>)
      -> tensor<?x3xf32>
  %z = linalg.matmul ins(%c, %d : tensor<?x5xf32>, tensor<5x3xf32>)
      outs(%start : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %y, %z : tensor<6x5xf64>, tensor<?x3xf32>
}
