// A large window's points stay loops. The pixels of a row are in steps of four, and
// what fills no step in one of three: in whole strips, and in the one channel that is
// left, whose sum is no vector.
// VECTOR-LABEL: func.func @main
// VECTOR-COUNT-2: lh.points = 7
// VECTOR:         arith.minimumf {{.*}} vector<{{16|32}}xf32>
// VECTOR:         lh.pixels
// VECTOR-COUNT-2: lh.points = 7
// VECTOR:         arith.minimumf {{.*}} vector<{{16|32}}xf32>
// VECTOR:         lh.pixels
// VECTOR-COUNT-2: lh.points = 7
// VECTOR:         lh.pixels
// VECTOR-COUNT-2: lh.points = 7
// VECTOR:         lh.pixels
func.func @main(%x: tensor<1x11x17x33xf32>, %filters: tensor<7x7x33xf32>,
                %bias: tensor<33xf32>) -> tensor<1x5x11x33xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %empty = tensor.empty() : tensor<1x5x11x33xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, c) -> (c)>,
                       affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<33xf32>) outs(%empty : tensor<1x5x11x33xf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  } -> tensor<1x5x11x33xf32>
  %sums = linalg.generic {
      indexing_maps = [
          affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>,
          affine_map<(n, h, w, c, i, j) -> (i, j, c)>,
          affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction"]}
      ins(%x, %filters : tensor<1x11x17x33xf32>, tensor<7x7x33xf32>)
      outs(%start : tensor<1x5x11x33xf32>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x5x11x33xf32>
  %clipped = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>,
                       affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<1x5x11x33xf32>) outs(%empty : tensor<1x5x11x33xf32>) {
  ^bb0(%s: f32, %old: f32):
    %positive = arith.maximumf %s, %zero : f32
    %limited = arith.minimumf %positive, %six : f32
    linalg.yield %limited : f32
  } -> tensor<1x5x11x33xf32>
  return %clipped : tensor<1x5x11x33xf32>
}
