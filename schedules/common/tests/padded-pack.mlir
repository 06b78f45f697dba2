// CHECK-NOT: = linalg.pack
// CHECK: linalg.transpose
func.func @main(%a: tensor<7x15xf32>) -> tensor<2x4x4x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x4x4x4xf32>
  %s = linalg.pack %a padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e : tensor<7x15xf32> -> tensor<2x4x4x4xf32>
  return %s : tensor<2x4x4x4xf32>
}
