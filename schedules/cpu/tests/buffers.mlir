// A chain: where the third result is computed, nobody needs the first any more,
// and it lies in the same place.
// PLAN-LABEL: func.func @main
// PLAN:         %[[BLOCK:.*]] = memref.alloc() {alignment = 64 : i64, lh.buffers = array<i64: 3, 2484>} : memref<1728xi8>
// PLAN-NOT:     memref.alloc
// PLAN:         memref.view %[[BLOCK]]{{.*}} to memref<17x13xf32>
// PLAN:         memref.view %[[BLOCK]]{{.*}} to memref<13x16xf32>
// PLAN:         memref.view %[[BLOCK]]{{.*}} to memref<16x12xf32>
// PLAN-NOT:     memref.alloc
// PLAN:         memref.dealloc %[[BLOCK]]
// PLAN-NOT:     memref.dealloc
func.func @main(%a: tensor<13x17xf32>) -> tensor<12x15xf32> {
  %e1 = tensor.empty() : tensor<17x13xf32>
  %x1 = linalg.transpose ins(%a : tensor<13x17xf32>)
      outs(%e1 : tensor<17x13xf32>) permutation = [1, 0]
  %s1 = tensor.extract_slice %x1[0, 0] [16, 13] [1, 1]
      : tensor<17x13xf32> to tensor<16x13xf32>
  %e2 = tensor.empty() : tensor<13x16xf32>
  %x2 = linalg.transpose ins(%s1 : tensor<16x13xf32>)
      outs(%e2 : tensor<13x16xf32>) permutation = [1, 0]
  %s2 = tensor.extract_slice %x2[0, 0] [12, 16] [1, 1]
      : tensor<13x16xf32> to tensor<12x16xf32>
  %e3 = tensor.empty() : tensor<16x12xf32>
  %x3 = linalg.transpose ins(%s2 : tensor<12x16xf32>)
      outs(%e3 : tensor<16x12xf32>) permutation = [1, 0]
  %s3 = tensor.extract_slice %x3[0, 0] [15, 12] [1, 1]
      : tensor<16x12xf32> to tensor<15x12xf32>
  %e4 = tensor.empty() : tensor<12x15xf32>
  %r = linalg.transpose ins(%s3 : tensor<15x12xf32>)
      outs(%e4 : tensor<12x15xf32>) permutation = [1, 0]
  return %r : tensor<12x15xf32>
}
