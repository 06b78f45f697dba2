// The smooth maximum of each row of 1.5 x + y.
func.func @main(%x: tensor<13x37xf32>, %y: tensor<13x37xf32>) -> tensor<13xf32> {
  %sum = "toy.scale_add"(%x, %y) {scale = 1.5 : f32} : (tensor<13x37xf32>, tensor<13x37xf32>) -> tensor<13x37xf32>
  %maxima = "toy.smooth_max"(%sum) {sharpness = 4.0 : f32} : (tensor<13x37xf32>) -> tensor<13xf32>
  return %maxima : tensor<13xf32>
}
