// Products of one tile each, which begin at the same zeros and go to the same empty
// tensor: each has memory of its own.
// CHECK-LABEL: func.func @main
// CHECK:       [[ONE:%.*]] = bufferization.alloc_tensor
// CHECK:       call @"{{[^"]*}}.product-bias"(
// CHECK:       [[OTHER:%.*]] = bufferization.alloc_tensor
// CHECK:       call @"{{[^"]*}}.product-bias"(
#rc = affine_map<(i, j) -> (i, j)>
#c = affine_map<(i, j) -> (j)>
func.func @main(%a: tensor<20x24xf32>,
    %b: tensor<24x60xf32>, %b2: tensor<24x60xf32>, %d: tensor<60xf32>, %d2: tensor<60xf32>) -> tensor<20x20xf32> {
  %zero = arith.constant 0.0 : f32
  %out = tensor.empty() : tensor<20x60xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<20x60xf32>) -> tensor<20x60xf32>
  %p = linalg.matmul ins(%a, %b : tensor<20x24xf32>, tensor<24x60xf32>) outs(%init : tensor<20x60xf32>) -> tensor<20x60xf32>
  %p2 = linalg.matmul ins(%a, %b2 : tensor<20x24xf32>, tensor<24x60xf32>) outs(%init : tensor<20x60xf32>) -> tensor<20x60xf32>
  %r = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]} ins(%p, %d : tensor<20x60xf32>, tensor<60xf32>) outs(%out : tensor<20x60xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<20x60xf32>
  %r2 = linalg.generic {indexing_maps = [#rc, #c, #rc], iterator_types = ["parallel", "parallel"]} ins(%p2, %d2 : tensor<20x60xf32>, tensor<60xf32>) outs(%out : tensor<20x60xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<20x60xf32>
  %o20 = tensor.empty() : tensor<20x20xf32>
  %i20 = linalg.fill ins(%zero : f32) outs(%o20 : tensor<20x20xf32>) -> tensor<20x20xf32>
  %q = linalg.generic {indexing_maps = [affine_map<(i, j, l) -> (i, l)>, affine_map<(i, j, l) -> (j, l)>, affine_map<(i, j, l) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%r, %r2 : tensor<20x60xf32>, tensor<20x60xf32>) outs(%i20 : tensor<20x20xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %xy = arith.mulf %x, %y : f32
    %n = arith.addf %s, %xy : f32
    linalg.yield %n : f32
  } -> tensor<20x20xf32>
  return %q : tensor<20x20xf32>
}
