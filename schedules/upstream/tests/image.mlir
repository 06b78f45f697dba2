// A 1x1 convolution with a bias and an activation, of 29 rows: strips of rows, tiles of
// filters, a strip of a filter as a vector; five rows are left, and two filters.
// CHECK-LABEL: func.func @main
// CHECK:       scf.for
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             linalg.generic {{.*}} outs({{.*}} : tensor<1x{{12|6|4}}x{{136|68}}xf32>)
// CHECK:             scf.for
// CHECK:               arith.maximumf {{.*}} : vector<{{136|68}}xf32>
// CHECK:           } {filters}
// CHECK-NOT:   iterator_types = ["parallel", "parallel", "parallel", "parallel"]
#wf = affine_map<(n, f, p, c) -> (f, c)>
#xp = affine_map<(n, f, p, c) -> (n, c, p)>
#yf = affine_map<(n, f, p, c) -> (n, f, p)>
#id = affine_map<(n, f, h, w) -> (n, f, h, w)>
func.func @main(%x: tensor<2x5x493xf32>, %w: tensor<26x5xf32>, %b: tensor<26xf32>) -> tensor<2x26x29x17xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x26x29x17xf32>
  %i = tensor.empty() : tensor<2x26x493xf32>
  %start = linalg.broadcast ins(%b : tensor<26xf32>) outs(%i : tensor<2x26x493xf32>) dimensions = [0, 2]
  %y = linalg.generic {indexing_maps = [#wf, #xp, #yf],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<26x5xf32>, tensor<2x5x493xf32>)
      outs(%start : tensor<2x26x493xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<2x26x493xf32>
  %image = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [2, 26, 29, 17]
      : tensor<2x26x493xf32> into tensor<2x26x29x17xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : tensor<2x26x29x17xf32>) outs(%e : tensor<2x26x29x17xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<2x26x29x17xf32>
  return %r : tensor<2x26x29x17xf32>
}
