// The end of a residual block: 256 filters of 1 x 1 over 64 channels of 56 x 56 pixels,
// with a bias; another image is added and the sum rectified.
#filters = affine_map<(n, f, p, c) -> (f, c)>
#pixels = affine_map<(n, f, p, c) -> (n, c, p)>
#sums = affine_map<(n, f, p, c) -> (n, f, p)>
#id = affine_map<(n, f, h, w) -> (n, f, h, w)>
func.func @layer(%image: tensor<1x64x3136xf32>, %filters: tensor<256x64xf32>,
    %bias: tensor<256xf32>, %before: tensor<1x256x56x56xf32>) -> tensor<1x256x56x56xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<1x256x3136xf32>
  %start = linalg.broadcast ins(%bias : tensor<256xf32>)
      outs(%empty : tensor<1x256x3136xf32>) dimensions = [0, 2]
  %product = linalg.generic {indexing_maps = [#filters, #pixels, #sums],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%filters, %image : tensor<256x64xf32>, tensor<1x64x3136xf32>)
      outs(%start : tensor<1x256x3136xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %times = arith.mulf %a, %b : f32
    %more = arith.addf %sum, %times : f32
    linalg.yield %more : f32
  } -> tensor<1x256x3136xf32>
  %result = tensor.expand_shape %product [[0], [1], [2, 3]] output_shape [1, 256, 56, 56]
      : tensor<1x256x3136xf32> into tensor<1x256x56x56xf32>
  %like = tensor.empty() : tensor<1x256x56x56xf32>
  %added = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%result, %before : tensor<1x256x56x56xf32>, tensor<1x256x56x56xf32>) outs(%like : tensor<1x256x56x56xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %sum = arith.addf %x, %y : f32
    linalg.yield %sum : f32
  } -> tensor<1x256x56x56xf32>
  %rectified = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%added : tensor<1x256x56x56xf32>) outs(%like : tensor<1x256x56x56xf32>) {
  ^bb0(%x: f32, %out: f32):
    %max = arith.maximumf %x, %zero : f32
    linalg.yield %max : f32
  } -> tensor<1x256x56x56xf32>
  return %rectified : tensor<1x256x56x56xf32>
}
