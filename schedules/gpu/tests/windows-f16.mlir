// Windows are gathered where tiles are copied; a pixel's five channels take the
// place of eight, a copy's 16 bytes.
// CHOOSE:     tensor.insert_slice {{.*}} : tensor<2x9x7x5xf16> into tensor<2x11x9x8xf16>
// CHOOSE:     linalg.generic {{.*}} outs({{.*}} : tensor<96x{{96|128}}xf16>) attrs = {lh.contiguous = 8 : i64, lh.gather}
// CHOOSE:     linalg.generic {{.*}}lh.gathered = true, lh.kernel = "{{mma|mfma|wmma}}-f16"
//
// TILE-NOT:   tensor<96x{{96|128}}xf16>
// TILE:       scf.forall
// TILE:       scf.for
// TILE:       bufferization.alloc_tensor() {memory_space = #gpu.address_space<workgroup>}
// TILE-NEXT:  linalg.generic {{.*}} attrs = {lh.contiguous = 8 : i64, lh.gather}
//
// MAP:        gpu.launch
// MAP:        {{nvgpu.device_async_copy|vector.load}} {{.*}}memref<1584xf16
// MAP:        {{amdgpu.mfma|amdgpu.wmma|xevm.mma|nvgpu.mma.sync}}
// MAP-NOT:    linalg.generic {{.*}}lh.gather
#input = affine_map<(n, y, x, f, i, j, c) -> (n, y * 2 + i, x + j, c)>
#filter = affine_map<(n, y, x, f, i, j, c) -> (i, j, c, f)>
#result = affine_map<(n, y, x, f, i, j, c) -> (n, y, x, f)>
func.func @main(%x: tensor<2x9x7x5xf16>, %w: tensor<3x3x5x20xf16>)
    -> tensor<2x5x7x20xf32> {
  %around = arith.constant 0.0 : f16
  %padded = tensor.pad %x low[0, 1, 1, 0] high[0, 1, 1, 0] {
  ^bb0(%n: index, %y: index, %p: index, %c: index):
    tensor.yield %around : f16
  } : tensor<2x9x7x5xf16> to tensor<2x11x9x5xf16>
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<2x5x7x20xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x5x7x20xf32>)
      -> tensor<2x5x7x20xf32>
  %sums = linalg.generic {
      indexing_maps = [#input, #filter, #result],
      iterator_types = ["parallel", "parallel", "parallel", "parallel",
                        "reduction", "reduction", "reduction"]}
      ins(%padded, %w : tensor<2x11x9x5xf16>, tensor<3x3x5x20xf16>)
      outs(%zeros : tensor<2x5x7x20xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %left = arith.extf %a : f16 to f32
    %right = arith.extf %b : f16 to f32
    %product = arith.mulf %left, %right : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<2x5x7x20xf32>
  return %sums : tensor<2x5x7x20xf32>
}
