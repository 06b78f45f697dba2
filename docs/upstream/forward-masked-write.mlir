// Kind: slow code
// Fault: A `vector.transfer_read` of what a `vector.transfer_write` wrote folds to the vector if neither has a mask, but not if both have the same mask. The pair keeps a slice of a tensor alive in the innermost loop, and bufferization copies for it.
// Expected: `arith.select %mask, %v, %padding`, or `%v` if the padding isn't seen.
// Ours: `lh-forward-masked`
// Change: `foldRAW` in `mlir/lib/Dialect/Vector/IR/VectorOps.cpp` asks `checkSameValueRAW` (`mlir/lib/Dialect/Vector/Utils/VectorUtils.cpp`), which returns false if either transfer has a mask. Where both name the same mask value, a canonicalization pattern can replace the read by an `arith.select` between the vector and the broadcast padding.
// Upstream: No report known
//
// RUN: mlir-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @unmasked(
//  CHECK-SAME:   %{{.*}}: tensor<8xf32>, %[[V:.*]]: vector<8xf32>)
//  CHECK-NEXT:   return %[[V]]
func.func @unmasked(%t: tensor<8xf32>, %v: vector<8xf32>) -> vector<8xf32> {
  %i = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %written = vector.transfer_write %v, %t[%i] {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  %read = vector.transfer_read %written[%i], %zero {in_bounds = [true]} : tensor<8xf32>, vector<8xf32>
  return %read : vector<8xf32>
}

// CHECK-LABEL: func.func @masked(
//       CHECK:   vector.transfer_write
//       CHECK:   %[[READ:.*]] = vector.transfer_read
//       CHECK:   return %[[READ]]
func.func @masked(%t: tensor<8xf32>, %v: vector<8xf32>, %mask: vector<8xi1>) -> vector<8xf32> {
  %i = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %written = vector.transfer_write %v, %t[%i], %mask {in_bounds = [true]} : vector<8xf32>, tensor<8xf32>
  %read = vector.transfer_read %written[%i], %zero, %mask {in_bounds = [true]} : tensor<8xf32>, vector<8xf32>
  return %read : vector<8xf32>
}
