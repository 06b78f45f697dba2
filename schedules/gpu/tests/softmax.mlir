// A softmax over rows of an odd length: one loop over rows, and one kernel, a block
// of threads for each row. Threads combine their shares of the maximum and of the
// sum; the powers stay in shared memory.
// ROWS-LABEL: func.func @main
// ROWS:       scf.forall
// ROWS:         arith.maximumf
// ROWS:         math.exp
// ROWS:         arith.addf
// ROWS:         arith.divf
// ROWS-NOT:   scf.forall (
// ROWS-NOT:   linalg.generic {
//
// KERNELS-LABEL: func.func @main
// KERNELS:       gpu.launch
// KERNELS-SAME:    workgroup(
// KERNELS:         gpu.shuffle
// KERNELS:         gpu.barrier
// KERNELS:         math.exp
// KERNELS:         memref.store {{.*}} #gpu.address_space<workgroup>>
// KERNELS:         gpu.shuffle
// KERNELS:         arith.divf
// KERNELS-NOT:     gpu.barrier
// KERNELS:         gpu.terminator
// KERNELS-NOT:   gpu.launch
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<33x131xf32>) -> tensor<33x131xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<33x131xf32>
  %r = tensor.empty() : tensor<33xf32>
  %m0 = linalg.fill ins(%lowest : f32) outs(%r : tensor<33xf32>) -> tensor<33xf32>
  %m = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<33x131xf32>) outs(%m0 : tensor<33xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.maximumf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<33xf32>
  %p = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x, %m : tensor<33x131xf32>, tensor<33xf32>)
      outs(%e : tensor<33x131xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %v = math.exp %d : f32
    linalg.yield %v : f32
  } -> tensor<33x131xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<33xf32>) -> tensor<33xf32>
  %s = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<33x131xf32>) outs(%s0 : tensor<33xf32>) {
  ^bb0(%a: f32, %b: f32):
    %v = arith.addf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<33xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<33x131xf32>, tensor<33xf32>)
      outs(%e : tensor<33x131xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %v = arith.divf %a, %b : f32
    linalg.yield %v : f32
  } -> tensor<33x131xf32>
  return %y : tensor<33x131xf32>
}
