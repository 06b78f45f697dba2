// All of a row in one loop, reductions in strips.
// CHECK: scf.forall (%{{.*}}) in (7)
// CHECK: scf.for
// CHECK: vector.multi_reduction <maximumf>
// CHECK: math.exp
// CHECK: vector.multi_reduction <add>
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<7x131xf32>) -> tensor<7x131xf32> {
  %zero = arith.constant 0.0 : f32
  %least = arith.constant 0xFF800000 : f32
  %numbers = tensor.empty() : tensor<7xf32>
  %empty = tensor.empty() : tensor<7x131xf32>
  %m0 = linalg.fill ins(%least : f32) outs(%numbers : tensor<7xf32>) -> tensor<7xf32>
  %m = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<7x131xf32>) outs(%m0 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.maximumf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<7xf32>
  %e = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<7x131xf32>, tensor<7xf32>) outs(%empty : tensor<7x131xf32>) {
  ^bb0(%in: f32, %most: f32, %out: f32):
    %0 = arith.subf %in, %most : f32
    %1 = math.exp %0 : f32
    linalg.yield %1 : f32
  } -> tensor<7x131xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%numbers : tensor<7xf32>) -> tensor<7xf32>
  %s = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<7x131xf32>) outs(%s0 : tensor<7xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = arith.addf %in, %out : f32
    linalg.yield %0 : f32
  } -> tensor<7xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%e, %s : tensor<7x131xf32>, tensor<7xf32>) outs(%empty : tensor<7x131xf32>) {
  ^bb0(%in: f32, %sum: f32, %out: f32):
    %0 = arith.divf %in, %sum : f32
    linalg.yield %0 : f32
  } -> tensor<7x131xf32>
  return %y : tensor<7x131xf32>
}
