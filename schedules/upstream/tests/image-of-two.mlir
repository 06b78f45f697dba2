// Two convolutions, added: the sum is computed in the loops of one of them.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.generic {{.*}} outs({{.*}} : tensor<1x13x63xf32>)
// CHECK:       linalg.generic {{.*}} outs({{.*}} : tensor<1x{{12|6|4}}x63xf32>)
// CHECK:       arith.addf {{.*}} : vector<63xf32>
#wf = affine_map<(n, f, p, c) -> (f, c)>
#xp = affine_map<(n, f, p, c) -> (n, c, p)>
#yf = affine_map<(n, f, p, c) -> (n, f, p)>
#id = affine_map<(n, f, h, w) -> (n, f, h, w)>
func.func @main(%x: tensor<1x6x63xf32>, %w: tensor<13x6xf32>) -> tensor<1x13x7x9xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x7x9xf32>
  %i = tensor.empty() : tensor<1x13x63xf32>
  %start = linalg.fill ins(%zero : f32) outs(%i : tensor<1x13x63xf32>) -> tensor<1x13x63xf32>
  %y = linalg.generic {indexing_maps = [#wf, #xp, #yf],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<13x6xf32>, tensor<1x6x63xf32>)
      outs(%start : tensor<1x13x63xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x13x63xf32>
  %image = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [1, 13, 7, 9]
      : tensor<1x13x63xf32> into tensor<1x13x7x9xf32>
  %z = linalg.generic {indexing_maps = [#wf, #xp, #yf],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<13x6xf32>, tensor<1x6x63xf32>)
      outs(%start : tensor<1x13x63xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x13x63xf32>
  %other = tensor.expand_shape %z [[0], [1], [2, 3]] output_shape [1, 13, 7, 9]
      : tensor<1x13x63xf32> into tensor<1x13x7x9xf32>
  %a = linalg.generic {indexing_maps = [#id, #id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image, %other : tensor<1x13x7x9xf32>, tensor<1x13x7x9xf32>) outs(%e : tensor<1x13x7x9xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %s = arith.addf %l, %r : f32
    linalg.yield %s : f32
  } -> tensor<1x13x7x9xf32>
  return %a : tensor<1x13x7x9xf32>
}
