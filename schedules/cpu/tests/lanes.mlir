// Six groups of three channels and of five filters, 6 x 11 pixels: a strip has
// three groups at most, and what is left of it and of a row is peeled off. The image
// isn't padded left and right: what is read there is constant.
// VECTOR-LABEL: func.func @main
// VECTOR-NOT:   tensor<8x13x18xf32>
// VECTOR-NOT:   linalg.generic
// VECTOR:       vector.shuffle {{.*}} [0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 6, 6, 6, 6, 6] : vector<9xf32>, vector<9xf32>
// VECTOR-NOT:   linalg.generic
// VECTOR:       arith.maximumf {{.*}} vector<1x{{4|8}}x15xf32>
// VECTOR:       arith.maximumf {{.*}} vector<1x3x15xf32>
// VECTOR-NOT:   linalg.generic
func.func @main(%x: tensor<6x11x18xf32>, %filters: tensor<3x3x3x30xf32>,
                %bias: tensor<30xf32>) -> tensor<6x11x30xf32> {
  %zero = arith.constant 0.0 : f32
  %padded = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<6x11x18xf32> to tensor<8x13x18xf32>
  %empty = tensor.empty() : tensor<6x11x30xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(h, w, l) -> (l)>, affine_map<(h, w, l) -> (h, w, l)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%bias : tensor<30xf32>) outs(%empty : tensor<6x11x30xf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  } -> tensor<6x11x30xf32>
  %sums = linalg.generic {
      indexing_maps = [
          affine_map<(h, w, l, i, j, c) -> (h + i, w + j, (l floordiv 5) * 3 + c)>,
          affine_map<(h, w, l, i, j, c) -> (i, j, c, l)>,
          affine_map<(h, w, l, i, j, c) -> (h, w, l)>],
      iterator_types = ["parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%padded, %filters : tensor<8x13x18xf32>, tensor<3x3x3x30xf32>)
      outs(%start : tensor<6x11x30xf32>)
      attrs = {lh.choice = #dlti.map<"strategy" = "lanes", "rule" = "r", "strip" = 15 : i64>} {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<6x11x30xf32>
  %clipped = linalg.generic {
      indexing_maps = [affine_map<(h, w, l) -> (h, w, l)>, affine_map<(h, w, l) -> (h, w, l)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sums : tensor<6x11x30xf32>) outs(%empty : tensor<6x11x30xf32>) {
  ^bb0(%s: f32, %old: f32):
    %positive = arith.maximumf %s, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<6x11x30xf32>
  return %clipped : tensor<6x11x30xf32>
}
