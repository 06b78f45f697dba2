func.func @main(%x: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %empty = tensor.empty() : tensor<3x4xf32>
  %three = tensor.extract_slice %x[0, 0] [3, 3] [1, 1]
      : tensor<3x4xf32> to tensor<3x3xf32>
  %y = tensor.insert_slice %three into %empty[0, 0] [3, 3] [1, 1]
      : tensor<3x3xf32> into tensor<3x4xf32>
  return %y : tensor<3x4xf32>
}
