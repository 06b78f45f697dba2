// Three normalizations in a row, each with another tensor added before.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x0: tensor<8x64xf32>, %w0: tensor<8x64xf32>, %w1: tensor<8x64xf32>, %w2: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %r = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%r : tensor<8xf32>) -> tensor<8xf32>
  %a0 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x0, %w0 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%l: f32, %m: f32, %o: f32):
    %s = arith.addf %l, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %s0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a0 : tensor<8x64xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = arith.addf %l, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %x1 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a0, %s0 : tensor<8x64xf32>, tensor<8xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%l: f32, %m: f32, %o: f32):
    %s = arith.subf %l, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %a1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x1, %w1 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%l: f32, %m: f32, %o: f32):
    %s = arith.addf %l, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %s1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a1 : tensor<8x64xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = arith.addf %l, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %x2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a1, %s1 : tensor<8x64xf32>, tensor<8xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%l: f32, %m: f32, %o: f32):
    %s = arith.subf %l, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %a2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%x2, %w2 : tensor<8x64xf32>, tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%l: f32, %m: f32, %o: f32):
    %s = arith.addf %l, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  %s2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%a2 : tensor<8x64xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%l: f32, %o: f32):
    %s = arith.addf %l, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  %x3 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%a2, %s2 : tensor<8x64xf32>, tensor<8xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%l: f32, %m: f32, %o: f32):
    %s = arith.subf %l, %m : f32
    linalg.yield %s : f32
  } -> tensor<8x64xf32>
  return %x3 : tensor<8x64xf32>
}
