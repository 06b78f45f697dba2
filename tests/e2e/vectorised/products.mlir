// Two products of one size; a schedule finds the first by its mark.
func.func @main(%a: tensor<64x64xf32> {lh.name = "a"},
                %b: tensor<64x64xf32> {lh.name = "b"})
    -> (tensor<64x64xf32> {lh.name = "c"}, tensor<64x64xf32> {lh.name = "d"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c = linalg.matmul {first} ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>)
                             outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  %d = linalg.matmul {second} ins(%b, %a : tensor<64x64xf32>, tensor<64x64xf32>)
                              outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %c, %d : tensor<64x64xf32>, tensor<64x64xf32>
}
