// Rows of 37 channels, of pixels whose places come from a table: each is read in
// vectors, the last one under a mask.
// VECTOR-LABEL: func.func @main
// VECTOR-NOT:   linalg.generic
// VECTOR:       %[[PLACE:.+]] = arith.index_cast %{{.+}} : i64 to index
// VECTOR:       vector.transfer_read %arg0[%{{.+}}, %[[PLACE]], %{{.+}}]
// VECTOR:       vector<{{16|32}}xf32>
#place = affine_map<(y, x, c) -> (x)>
#id = affine_map<(y, x, c) -> (y, x, c)>
func.func @main(%image: tensor<5x6x37xf32>) -> tensor<5x9x37xf32> {
  %places = arith.constant dense<[0, 0, 1, 5, 2, 2, 4, 3, 5]> : tensor<9xi64>
  %half = arith.constant 0.5 : f32
  %e = tensor.empty() : tensor<5x9x37xf32>
  %r = linalg.generic {indexing_maps = [#place, #id],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%places : tensor<9xi64>) outs(%e : tensor<5x9x37xf32>) {
  ^bb0(%at: i64, %old: f32):
    %y = linalg.index 0 : index
    %c = linalg.index 2 : index
    %x = arith.index_cast %at : i64 to index
    %v = tensor.extract %image[%y, %x, %c] : tensor<5x6x37xf32>
    %h = arith.mulf %v, %half : f32
    linalg.yield %h : f32
  } -> tensor<5x9x37xf32>
  return %r : tensor<5x9x37xf32>
}
