// Two products with quotients by the rows' sums between them, and what is like
// it but for one thing.
#all = affine_map<(b, m, n) -> (b, m, n)>
#row = affine_map<(b, m, n) -> (b, m)>
func.func @weighs(%q: tensor<2x60x8xf32>, %k: tensor<2x8x24xf32>,
    %v: tensor<2x24x8xf32>) -> tensor<2x60x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x60x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x60x24xf32>)
      -> tensor<2x60x24xf32>
  %s = linalg.batch_matmul
      ins(%q, %k : tensor<2x60x8xf32>, tensor<2x8x24xf32>)
      outs(%z : tensor<2x60x24xf32>) -> tensor<2x60x24xf32>
  %r = tensor.empty() : tensor<2x60xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x60xf32>)
      -> tensor<2x60xf32>
  %t = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x60x24xf32>) outs(%t0 : tensor<2x60xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x60xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<2x60x24xf32>, tensor<2x60xf32>)
      outs(%e : tensor<2x60x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x60x24xf32>
  %x = tensor.empty() : tensor<2x60x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%x : tensor<2x60x8xf32>)
      -> tensor<2x60x8xf32>
  %y = linalg.batch_matmul
      ins(%p, %v : tensor<2x60x24xf32>, tensor<2x24x8xf32>)
      outs(%y0 : tensor<2x60x8xf32>) -> tensor<2x60x8xf32>
  return %y : tensor<2x60x8xf32>
}
func.func @weighs_and_tells(%q: tensor<2x40x8xf32>, %k: tensor<2x8x24xf32>,
    %v: tensor<2x24x8xf32>) -> (tensor<2x40x8xf32>, tensor<2x40x24xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40x24xf32>)
      -> tensor<2x40x24xf32>
  %s = linalg.batch_matmul
      ins(%q, %k : tensor<2x40x8xf32>, tensor<2x8x24xf32>)
      outs(%z : tensor<2x40x24xf32>) -> tensor<2x40x24xf32>
  %r = tensor.empty() : tensor<2x40xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x40xf32>)
      -> tensor<2x40xf32>
  %t = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x40x24xf32>) outs(%t0 : tensor<2x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x40xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<2x40x24xf32>, tensor<2x40xf32>)
      outs(%e : tensor<2x40x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x40x24xf32>
  %x = tensor.empty() : tensor<2x40x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%x : tensor<2x40x8xf32>)
      -> tensor<2x40x8xf32>
  %y = linalg.batch_matmul
      ins(%p, %v : tensor<2x40x24xf32>, tensor<2x24x8xf32>)
      outs(%y0 : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
  return %y, %p : tensor<2x40x8xf32>, tensor<2x40x24xf32>
}
func.func @one_row(%q: tensor<2x1x8xf32>, %k: tensor<2x8x24xf32>,
    %v: tensor<2x24x8xf32>) -> tensor<2x1x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x1x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x1x24xf32>)
      -> tensor<2x1x24xf32>
  %s = linalg.batch_matmul
      ins(%q, %k : tensor<2x1x8xf32>, tensor<2x8x24xf32>)
      outs(%z : tensor<2x1x24xf32>) -> tensor<2x1x24xf32>
  %r = tensor.empty() : tensor<2x1xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x1xf32>)
      -> tensor<2x1xf32>
  %t = linalg.generic {indexing_maps = [#all, #row],
      iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%s : tensor<2x1x24xf32>) outs(%t0 : tensor<2x1xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x1xf32>
  %p = linalg.generic {indexing_maps = [#all, #row, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<2x1x24xf32>, tensor<2x1xf32>)
      outs(%e : tensor<2x1x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x1x24xf32>
  %x = tensor.empty() : tensor<2x1x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%x : tensor<2x1x8xf32>)
      -> tensor<2x1x8xf32>
  %y = linalg.batch_matmul
      ins(%p, %v : tensor<2x1x24xf32>, tensor<2x24x8xf32>)
      outs(%y0 : tensor<2x1x8xf32>) -> tensor<2x1x8xf32>
  return %y : tensor<2x1x8xf32>
}
func.func @no_sum(%q: tensor<2x40x8xf32>, %k: tensor<2x8x24xf32>,
    %v: tensor<2x24x8xf32>) -> tensor<2x40x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x40x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x40x24xf32>)
      -> tensor<2x40x24xf32>
  %s = linalg.batch_matmul
      ins(%q, %k : tensor<2x40x8xf32>, tensor<2x8x24xf32>)
      outs(%z : tensor<2x40x24xf32>) -> tensor<2x40x24xf32>
  %x = tensor.empty() : tensor<2x40x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%x : tensor<2x40x8xf32>)
      -> tensor<2x40x8xf32>
  %y = linalg.batch_matmul
      ins(%s, %v : tensor<2x40x24xf32>, tensor<2x24x8xf32>)
      outs(%y0 : tensor<2x40x8xf32>) -> tensor<2x40x8xf32>
  return %y : tensor<2x40x8xf32>
}
// Sums of columns, as a norm of each channel's pixels has between two grouped
// convolutions.
#column = affine_map<(b, m, n) -> (b, n)>
func.func @sums_of_columns(%q: tensor<2x60x8xf32>, %k: tensor<2x8x24xf32>,
    %v: tensor<2x24x8xf32>) -> tensor<2x60x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x60x24xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<2x60x24xf32>)
      -> tensor<2x60x24xf32>
  %s = linalg.batch_matmul
      ins(%q, %k : tensor<2x60x8xf32>, tensor<2x8x24xf32>)
      outs(%z : tensor<2x60x24xf32>) -> tensor<2x60x24xf32>
  %r = tensor.empty() : tensor<2x24xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r : tensor<2x24xf32>)
      -> tensor<2x24xf32>
  %t = linalg.generic {indexing_maps = [#all, #column],
      iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%s : tensor<2x60x24xf32>) outs(%t0 : tensor<2x24xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x24xf32>
  %p = linalg.generic {indexing_maps = [#all, #column, #all],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s, %t : tensor<2x60x24xf32>, tensor<2x24xf32>)
      outs(%e : tensor<2x60x24xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %c = arith.divf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<2x60x24xf32>
  %x = tensor.empty() : tensor<2x60x8xf32>
  %y0 = linalg.fill ins(%zero : f32) outs(%x : tensor<2x60x8xf32>)
      -> tensor<2x60x8xf32>
  %y = linalg.batch_matmul
      ins(%p, %v : tensor<2x60x24xf32>, tensor<2x24x8xf32>)
      outs(%y0 : tensor<2x60x8xf32>) -> tensor<2x60x8xf32>
  return %y : tensor<2x60x8xf32>
}
