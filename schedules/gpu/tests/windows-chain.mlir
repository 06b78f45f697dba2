// Two convolutions with results of one form: each starts from its own zeros and
// takes in what follows it; the first writes it below the second's zeros. Where
// windows don't fill a tile along the sum, an image without zeros around it gets
// a row of them.
// CHOOSE:     linalg.generic {{.*}}lh.gathered = true, lh.kernel = "simt"
// CHOOSE:     tensor.insert_slice {{.*}} : tensor<1x6x6x4xf32> into tensor<1x7x6x4xf32>
// CHOOSE:     linalg.generic {{.*}}lh.gathered = true, lh.kernel = "simt"
//
// TILE-COUNT-2: lh.contiguous = 4 : i64, lh.gather
//
// MAP-NOT:    linalg.fill {{.*}}memref<128x128xf32>
// MAP:        gpu.launch
// MAP:        maximumf
// MAP:        store {{.*}} : memref<1x6x6x4xf32, strided<[168, 24, 4, 1], offset: 24>>
// MAP-NOT:    linalg.generic
// MAP:        gpu.launch
// MAP:        maximumf
// MAP:        store {{.*}} : memref<1x5x5x4xf32>
#input = affine_map<(n, y, x, f, i, j, c) -> (n, y + i, x + j, c)>
#filter = affine_map<(n, y, x, f, i, j, c) -> (i, j, c, f)>
#result = affine_map<(n, y, x, f, i, j, c) -> (n, y, x, f)>
func.func @main(%x: tensor<1x7x7x4xf32>, %v: tensor<2x2x4x4xf32>,
                %w: tensor<2x2x4x4xf32>) -> tensor<1x5x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %empty1 = tensor.empty() : tensor<1x6x6x4xf32>
  %zeros1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<1x6x6x4xf32>)
      -> tensor<1x6x6x4xf32>
  %sums1 = linalg.generic {
      indexing_maps = [#input, #filter, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%x, %v : tensor<1x7x7x4xf32>, tensor<2x2x4x4xf32>)
      outs(%zeros1 : tensor<1x6x6x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x6x6x4xf32>
  %y = linalg.max ins(%sums1, %zeros1 : tensor<1x6x6x4xf32>, tensor<1x6x6x4xf32>)
      outs(%empty1 : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %empty2 = tensor.empty() : tensor<1x5x5x4xf32>
  %zeros2 = linalg.fill ins(%zero : f32) outs(%empty2 : tensor<1x5x5x4xf32>)
      -> tensor<1x5x5x4xf32>
  %sums2 = linalg.generic {
      indexing_maps = [#input, #filter, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%y, %w : tensor<1x6x6x4xf32>, tensor<2x2x4x4xf32>)
      outs(%zeros2 : tensor<1x5x5x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x5x5x4xf32>
  %z = linalg.max ins(%sums2, %zeros2 : tensor<1x5x5x4xf32>, tensor<1x5x5x4xf32>)
      outs(%empty2 : tensor<1x5x5x4xf32>) -> tensor<1x5x5x4xf32>
  return %z : tensor<1x5x5x4xf32>
}
