// Means of pixels that are gathered by rows of channels, as of an image that was
// enlarged: the gather stays a loop over rows, and the sums have vectors.
// CHECK-LABEL: func.func @main
// CHECK:       linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel"]
// CHECK:       tensor.extract
// CHECK-NOT:   arith.addf
// CHECK:       linalg.generic {{.*}}iterator_types = ["reduction", "reduction", "parallel"]
// CHECK:       arith.addf
// VECTOR-LABEL: func.func @main
// VECTOR-NOT:   linalg.generic
// VECTOR:       vector.transfer_read {{.*}} vector<{{16|32}}xf32>
// VECTOR-NOT:   linalg.generic
// VECTOR:       lh.sum
// VECTOR-NOT:   linalg.generic
// VECTOR:       return
func.func @main(%x: tensor<4x5x80xf32>) -> tensor<80xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 99.0 : f32
  %one = arith.constant 1 : index
  %last = arith.constant 3 : index
  %none = tensor.empty() : tensor<11xi64>
  %places = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%none : tensor<11xi64>) {
  ^bb0(%old: i64):
    %i = linalg.index 0 : index
    %half = arith.shrui %i, %one : index
    %place = arith.minui %half, %last : index
    %number = arith.index_cast %place : index to i64
    linalg.yield %number : i64
  } -> tensor<11xi64>
  %rows = tensor.extract_slice %places[0] [9] [1] : tensor<11xi64> to tensor<9xi64>
  %image = tensor.empty() : tensor<9x11x80xf32>
  %large = linalg.generic {
      indexing_maps = [affine_map<(h, w, c) -> (h)>, affine_map<(h, w, c) -> (w)>,
                       affine_map<(h, w, c) -> (h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%rows, %places : tensor<9xi64>, tensor<11xi64>) outs(%image : tensor<9x11x80xf32>) {
  ^bb0(%i: i64, %j: i64, %old: f32):
    %c = linalg.index 2 : index
    %row = arith.index_cast %i : i64 to index
    %column = arith.index_cast %j : i64 to index
    %v = tensor.extract %x[%row, %column, %c] : tensor<4x5x80xf32>
    linalg.yield %v : f32
  } -> tensor<9x11x80xf32>
  %e = tensor.empty() : tensor<80xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<80xf32>) -> tensor<80xf32>
  %s = linalg.generic {
      indexing_maps = [affine_map<(h, w, c) -> (h, w, c)>, affine_map<(h, w, c) -> (c)>],
      iterator_types = ["reduction", "reduction", "parallel"]}
      ins(%large : tensor<9x11x80xf32>) outs(%f : tensor<80xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %n = arith.addf %a, %sum : f32
    linalg.yield %n : f32
  } -> tensor<80xf32>
  %m = linalg.generic {
      indexing_maps = [affine_map<(c) -> (c)>, affine_map<(c) -> (c)>],
      iterator_types = ["parallel"]}
      ins(%s : tensor<80xf32>) outs(%e : tensor<80xf32>) {
  ^bb0(%a: f32, %old: f32):
    %q = arith.divf %a, %count : f32
    linalg.yield %q : f32
  } -> tensor<80xf32>
  return %m : tensor<80xf32>
}
