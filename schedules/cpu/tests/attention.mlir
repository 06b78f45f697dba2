// Three heads of 65 queries and 33 keys: one loop over heads, in it one over 24
// rows whose scores never leave it, and what is left of them. Transposes and
// reshapes are gone: the products read what a head's rows are cut from.
// HEADS-LABEL:  func.func @main
// HEADS-NOT:    linalg.generic
// HEADS:        scf.forall (%[[HEAD:.*]]) in (3)
// HEADS:          scf.for
// HEADS:            linalg.fill
// HEADS:            linalg.generic {{.*}} ins({{.*}} : tensor<24x16xf32>, tensor<33x16xf32>)
// HEADS:            arith.addf
// HEADS:            arith.maximumf
// HEADS:            math.exp
// HEADS:            linalg.generic {{.*}} ins({{.*}} : tensor<24x33xf32>, tensor<33x16xf32>)
// HEADS:          linalg.generic {{.*}} ins({{.*}} : tensor<17x16xf32>, tensor<33x16xf32>)
// HEADS:          math.exp
// HEADS:        {lh.attention}
// HEADS-NOT:    linalg.generic
func.func @main(%a0: tensor<1x65x3x16xf32>, %a1: tensor<1x33x3x16xf32>, %a2: tensor<1x33x3x16xf32>, %a3: tensor<1x1x1x33xf32>) -> tensor<1x65x3x16xf32> {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.25 : f32
  %qe = tensor.empty() : tensor<1x3x65x16xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(b, h, r, w) -> (b, r, h, w)>, affine_map<(b, h, r, w) -> (b, h, r, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a0 : tensor<1x65x3x16xf32>) outs(%qe : tensor<1x3x65x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<1x3x65x16xf32>
  %te = tensor.empty() : tensor<1x3x16x33xf32>
  %t = linalg.generic {indexing_maps = [affine_map<(b, h, w, k) -> (b, k, h, w)>, affine_map<(b, h, w, k) -> (b, h, w, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a1 : tensor<1x33x3x16xf32>) outs(%te : tensor<1x3x16x33xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<1x3x16x33xf32>
  %ue = tensor.empty() : tensor<1x3x33x16xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(b, h, k, w) -> (b, k, h, w)>, affine_map<(b, h, k, w) -> (b, h, k, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%a2 : tensor<1x33x3x16xf32>) outs(%ue : tensor<1x3x33x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<1x3x33x16xf32>
  %sl = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<1x3x65x16xf32> into tensor<3x65x16xf32>
  %sm = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<1x3x16x33xf32> into tensor<3x16x33xf32>
  %se = tensor.empty() : tensor<3x65x33xf32>
  %sz = linalg.fill ins(%zero : f32) outs(%se : tensor<3x65x33xf32>) -> tensor<3x65x33xf32>
  %sp = linalg.batch_matmul ins(%sl, %sm : tensor<3x65x16xf32>, tensor<3x16x33xf32>) outs(%sz : tensor<3x65x33xf32>) -> tensor<3x65x33xf32>
  %s = tensor.expand_shape %sp [[0, 1], [2], [3]] output_shape [1, 3, 65, 33] : tensor<3x65x33xf32> into tensor<1x3x65x33xf32>
  %we = tensor.empty() : tensor<1x3x65x33xf32>
  %w = linalg.generic {indexing_maps = [affine_map<(b, h, r, k) -> (b, h, r, k)>, affine_map<(b, h, r, k) -> (b, 0, 0, k)>, affine_map<(b, h, r, k) -> (b, h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s, %a3 : tensor<1x3x65x33xf32>, tensor<1x1x1x33xf32>) outs(%we : tensor<1x3x65x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.mulf %x, %scale : f32
    %v = arith.addf %d, %y : f32
    linalg.yield %v : f32
  } -> tensor<1x3x65x33xf32>
  %tope = tensor.empty() : tensor<1x3x65xf32>
  %top0 = linalg.fill ins(%lowest : f32) outs(%tope : tensor<1x3x65xf32>) -> tensor<1x3x65xf32>
  %top = linalg.generic {indexing_maps = [affine_map<(b, h, r, k) -> (b, h, r, k)>, affine_map<(b, h, r, k) -> (b, h, r)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%w : tensor<1x3x65x33xf32>) outs(%top0 : tensor<1x3x65xf32>) {
  ^bb0(%x: f32, %o: f32):
    %v = arith.maximumf %x, %o : f32
    linalg.yield %v : f32
  } -> tensor<1x3x65xf32>
  %pe = tensor.empty() : tensor<1x3x65x33xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(b, h, r, k) -> (b, h, r, k)>, affine_map<(b, h, r, k) -> (b, h, r)>, affine_map<(b, h, r, k) -> (b, h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%w, %top : tensor<1x3x65x33xf32>, tensor<1x3x65xf32>) outs(%pe : tensor<1x3x65x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %d = arith.subf %x, %y : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<1x3x65x33xf32>
  %sume = tensor.empty() : tensor<1x3x65xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sume : tensor<1x3x65xf32>) -> tensor<1x3x65xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(b, h, r, k) -> (b, h, r, k)>, affine_map<(b, h, r, k) -> (b, h, r)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p : tensor<1x3x65x33xf32>) outs(%sum0 : tensor<1x3x65xf32>) {
  ^bb0(%x: f32, %o: f32):
    %v = arith.addf %x, %o : f32
    linalg.yield %v : f32
  } -> tensor<1x3x65xf32>
  %ne = tensor.empty() : tensor<1x3x65x33xf32>
  %n = linalg.generic {indexing_maps = [affine_map<(b, h, r, k) -> (b, h, r, k)>, affine_map<(b, h, r, k) -> (b, h, r)>, affine_map<(b, h, r, k) -> (b, h, r, k)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%p, %sum : tensor<1x3x65x33xf32>, tensor<1x3x65xf32>) outs(%ne : tensor<1x3x65x33xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %v = arith.divf %x, %y : f32
    linalg.yield %v : f32
  } -> tensor<1x3x65x33xf32>
  %yl = tensor.collapse_shape %n [[0, 1], [2], [3]] : tensor<1x3x65x33xf32> into tensor<3x65x33xf32>
  %ym = tensor.collapse_shape %u [[0, 1], [2], [3]] : tensor<1x3x33x16xf32> into tensor<3x33x16xf32>
  %ye = tensor.empty() : tensor<3x65x16xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<3x65x16xf32>) -> tensor<3x65x16xf32>
  %yp = linalg.batch_matmul ins(%yl, %ym : tensor<3x65x33xf32>, tensor<3x33x16xf32>) outs(%yz : tensor<3x65x16xf32>) -> tensor<3x65x16xf32>
  %y = tensor.expand_shape %yp [[0, 1], [2], [3]] output_shape [1, 3, 65, 16] : tensor<3x65x16xf32> into tensor<1x3x65x16xf32>
  %mergede = tensor.empty() : tensor<1x65x3x16xf32>
  %merged = linalg.generic {indexing_maps = [affine_map<(b, r, h, w) -> (b, h, r, w)>, affine_map<(b, r, h, w) -> (b, r, h, w)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%y : tensor<1x3x65x16xf32>) outs(%mergede : tensor<1x65x3x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<1x65x3x16xf32>
  return %merged : tensor<1x65x3x16xf32>
}
