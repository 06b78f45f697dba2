// Windows over channels start from the bias, compute the rectifier, and write
// once; a part of a strip under a mask, too.
// VECTOR-LABEL: func.func @main
// VECTOR-COUNT-2: linalg.fill
// VECTOR-NOT:   tensor<9x9x43xf32>
// VECTOR-NOT:   linalg.{{copy|generic}}
// VECTOR:       scf.for
// The first pixel, those between and the last one; of whole strips, and masked.
// VECTOR-COUNT-9: arith.mulf {{.*}} vector<{{16|32}}xf32>
// VECTOR-NOT:     arith.mulf
// VECTOR:         arith.minimumf {{.*}} vector<{{16|32}}xf32>
// VECTOR-NEXT:    vector.transfer_write
// VECTOR-NEXT:    tensor.insert_slice
// VECTOR:         scf.for
// VECTOR-COUNT-9: arith.mulf {{.*}} vector<{{16|32}}xf32>
// VECTOR-NOT:     vector.transfer_write
// VECTOR:         arith.minimumf {{.*}} vector<{{16|32}}xf32>
// VECTOR-NEXT:    vector.transfer_write
// VECTOR:         lh.independent
// VECTOR-COUNT-18: arith.mulf {{.*}} vector<{{16|32}}xf32>
// VECTOR:         scf.for
// VECTOR-COUNT-9: arith.mulf {{.*}} vector<{{16|32}}xf32>
// VECTOR:         lh.independent
// VECTOR:         lh.independent
func.func @main(%x: tensor<1x7x7x43xf32>, %filters: tensor<3x3x43xf32>,
                %bias: tensor<43xf32>) -> tensor<1x7x7x43xf32> {
  %zero = arith.constant 0.0 : f32
  %six = arith.constant 6.0 : f32
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %h: index, %w: index, %c: index):
    tensor.yield %zero : f32
  } : tensor<1x7x7x43xf32> to tensor<1x9x9x43xf32>
  %empty = tensor.empty() : tensor<1x7x7x43xf32>
  %start = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, c) -> (c)>,
                       affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bias : tensor<43xf32>) outs(%empty : tensor<1x7x7x43xf32>) {
  ^bb0(%b: f32, %old: f32):
    linalg.yield %b : f32
  } -> tensor<1x7x7x43xf32>
  %sums = linalg.generic {
      indexing_maps = [
          affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>,
          affine_map<(n, h, w, c, i, j) -> (i, j, c)>,
          affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction"]}
      ins(%padded, %filters : tensor<1x9x9x43xf32>, tensor<3x3x43xf32>)
      outs(%start : tensor<1x7x7x43xf32>) {
  ^bb0(%p: f32, %f: f32, %sum: f32):
    %product = arith.mulf %p, %f : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x7x7x43xf32>
  %clipped = linalg.generic {
      indexing_maps = [affine_map<(n, h, w, c) -> (n, h, w, c)>,
                       affine_map<(n, h, w, c) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%sums : tensor<1x7x7x43xf32>) outs(%empty : tensor<1x7x7x43xf32>) {
  ^bb0(%s: f32, %old: f32):
    %positive = arith.maximumf %s, %zero : f32
    %limited = arith.minimumf %positive, %six : f32
    linalg.yield %limited : f32
  } -> tensor<1x7x7x43xf32>
  return %clipped : tensor<1x7x7x43xf32>
}
