// Rows wider than a strip may be stay in one piece.
// CHECK-LABEL: func.func @main
// CHECK-NOT:   scf.for
// CHECK:       arith.maximumf
// CHECK-NOT:   scf.for
// CHECK:       return
#wf = affine_map<(n, f, p, c) -> (f, c)>
#xp = affine_map<(n, f, p, c) -> (n, c, p)>
#yf = affine_map<(n, f, p, c) -> (n, f, p)>
#id = affine_map<(n, f, h, w) -> (n, f, h, w)>
func.func @main(%x: tensor<1x6x260xf32>, %w: tensor<13x6xf32>) -> tensor<1x13x2x130xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x13x2x130xf32>
  %i = tensor.empty() : tensor<1x13x260xf32>
  %start = linalg.fill ins(%zero : f32) outs(%i : tensor<1x13x260xf32>) -> tensor<1x13x260xf32>
  %y = linalg.generic {indexing_maps = [#wf, #xp, #yf],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w, %x : tensor<13x6xf32>, tensor<1x6x260xf32>)
      outs(%start : tensor<1x13x260xf32>) {
  ^bb0(%l: f32, %r: f32, %out: f32):
    %m = arith.mulf %l, %r : f32
    %s = arith.addf %out, %m : f32
    linalg.yield %s : f32
  } -> tensor<1x13x260xf32>
  %image = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [1, 13, 2, 130]
      : tensor<1x13x260xf32> into tensor<1x13x2x130xf32>
  %r = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%image : tensor<1x13x2x130xf32>) outs(%e : tensor<1x13x2x130xf32>) {
  ^bb0(%in: f32, %out: f32):
    %m = arith.maximumf %in, %zero : f32
    linalg.yield %m : f32
  } -> tensor<1x13x2x130xf32>
  return %r : tensor<1x13x2x130xf32>
}
