// A product whose panels are packed in each block of columns, and what follows
// from its rows. What a block keeps for itself is allocated once per thread.
// SHARED-LABEL: func.func @main
// SHARED:         omp.parallel num_threads(
// SHARED-NEXT:      omp.wsloop {
// SHARED:             memref.alloc()
// SHARED:             vector.contract
// SHARED:         omp.parallel num_threads(
// SHARED:             arith.divf
// SHARED-NOT:     scf.forall
// PRIVATE-LABEL: func.func @main
// PRIVATE:         omp.parallel num_threads(
// PRIVATE-NEXT:      memref.alloc() {alignment = 64 : i64, lh.buffers
// PRIVATE-NEXT:      omp.wsloop {
// PRIVATE-NOT:         memref.alloc()
// PRIVATE:             memref.view
// PRIVATE:           memref.dealloc
// PRIVATE-NEXT:      omp.terminator
// ALONE-LABEL: func.func @main
// ALONE-NOT:     omp.
// ALONE:         scf.forall
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%a: tensor<70x65xf32>, %b: tensor<65x256xf32>) -> tensor<70x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<70x256xf32>
  %r = tensor.empty() : tensor<70xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<70x256xf32>) -> tensor<70x256xf32>
  %x = linalg.matmul ins(%a, %b : tensor<70x65xf32>, tensor<65x256xf32>)
                     outs(%f : tensor<70x256xf32>) -> tensor<70x256xf32>
  %p = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<70x256xf32>) outs(%e : tensor<70x256xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<70x256xf32>
  %s0 = linalg.fill ins(%zero : f32) outs(%r : tensor<70xf32>) -> tensor<70xf32>
  %s = linalg.generic {indexing_maps = [#id, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%p : tensor<70x256xf32>) outs(%s0 : tensor<70xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %o : f32
    linalg.yield %w : f32
  } -> tensor<70xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%p, %s : tensor<70x256xf32>, tensor<70xf32>)
      outs(%e : tensor<70x256xf32>) {
  ^bb0(%v: f32, %u: f32, %o: f32):
    %w = arith.divf %v, %u : f32
    linalg.yield %w : f32
  } -> tensor<70x256xf32>
  return %y : tensor<70x256xf32>
}
