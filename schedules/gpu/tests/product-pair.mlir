// Two products of one padded form, of f16, one behind a softmax, one before sums of
// rows. Kernels that name buffers (wgmma's) each have a result of their own, though
// they start from the same zeros; and an operand stays in memory until its kernel has
// run, though the kernel reads it by a descriptor.
// ROWS-LABEL: func.func @main
// ROWS:       scf.forall
// ROWS:       scf.forall
//
// KERNELS-LABEL:   func.func @main
// KERNELS-COUNT-2: lh.product_launch
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<33x131xf32>, %w: tensor<131x71xf16>,
                %a: tensor<67x40xf16>, %b: tensor<40x71xf16>)
    -> (tensor<33x71xf32>, tensor<67x71xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x131xf32>
  %r = tensor.empty() : tensor<33xf32>
  %p = linalg.exp ins(%x : tensor<33x131xf32>) outs(%e : tensor<33x131xf32>)
      -> tensor<33x131xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<33xf32>) -> tensor<33xf32>
  %s = linalg.reduce {arith.addf} ins(%p : tensor<33x131xf32>)
      outs(%s0 : tensor<33xf32>) dimensions = [1]
  %he = tensor.empty() : tensor<33x131xf16>
  %h = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<33x131xf32>, tensor<33xf32>)
      outs(%he : tensor<33x131xf16>) {
  ^bb0(%u: f32, %v: f32, %o: f16):
    %q = arith.divf %u, %v : f32
    %t = arith.truncf %q : f32 to f16
    linalg.yield %t : f16
  } -> tensor<33x131xf16>
  %e1 = tensor.empty() : tensor<33x71xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<33x71xf32>)
      -> tensor<33x71xf32>
  %first = linalg.matmul ins(%h, %w : tensor<33x131xf16>, tensor<131x71xf16>)
      outs(%z1 : tensor<33x71xf32>) -> tensor<33x71xf32>
  %e2 = tensor.empty() : tensor<67x71xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<67x71xf32>)
      -> tensor<67x71xf32>
  %second = linalg.matmul ins(%a, %b : tensor<67x40xf16>, tensor<40x71xf16>)
      outs(%z2 : tensor<67x71xf32>) -> tensor<67x71xf32>
  %r2 = tensor.empty() : tensor<67xf32>
  %t0 = linalg.fill ins(%zero : f32) outs(%r2 : tensor<67xf32>) -> tensor<67xf32>
  %t = linalg.reduce {arith.addf} ins(%second : tensor<67x71xf32>)
      outs(%t0 : tensor<67xf32>) dimensions = [1]
  %d = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%second, %t : tensor<67x71xf32>, tensor<67xf32>)
      outs(%e2 : tensor<67x71xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %q = arith.subf %u, %v : f32
    linalg.yield %q : f32
  } -> tensor<67x71xf32>
  return %first, %d : tensor<33x71xf32>, tensor<67x71xf32>
}
