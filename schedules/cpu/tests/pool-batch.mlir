// Windows over two images: the largest of six numbers, in registers.
// VECTOR-LABEL: func.func @main
// VECTOR-COUNT-6: arith.maximumf {{.*}} vector<{{16|32}}xf32>
// VECTOR-NOT:     arith.maximumf
// VECTOR:         vector.transfer_write
// VECTOR-NOT:     linalg.generic
func.func @main(%x: tensor<2x5x6x32xf32>) -> tensor<2x4x4x32xf32> {
  %least = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2x3xf32>
  %empty = tensor.empty() : tensor<2x4x4x32xf32>
  %start = linalg.fill ins(%least : f32) outs(%empty : tensor<2x4x4x32xf32>)
      -> tensor<2x4x4x32xf32>
  %largest = linalg.generic {
      indexing_maps = [
          affine_map<(n, h, w, c, i, j) -> (n, h + i, w + j, c)>,
          affine_map<(n, h, w, c, i, j) -> (i, j)>,
          affine_map<(n, h, w, c, i, j) -> (n, h, w, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction"]}
      ins(%x, %window : tensor<2x5x6x32xf32>, tensor<2x3xf32>)
      outs(%start : tensor<2x4x4x32xf32>) {
  ^bb0(%p: f32, %shape: f32, %old: f32):
    %next = arith.maximumf %old, %p : f32
    linalg.yield %next : f32
  } -> tensor<2x4x4x32xf32>
  return %largest : tensor<2x4x4x32xf32>
}
