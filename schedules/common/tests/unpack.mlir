// CHECK-NOT: = linalg.unpack
// CHECK: linalg.transpose
func.func @main(%a: tensor<2x4x4x4xf32>) -> tensor<7x15xf32> {
  %e = tensor.empty() : tensor<7x15xf32>
  %s = linalg.unpack %a inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<2x4x4x4xf32> -> tensor<7x15xf32>
  return %s : tensor<7x15xf32>
}
