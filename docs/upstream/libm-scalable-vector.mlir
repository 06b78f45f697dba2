// Kind: wrong code
// Fault: `convert-math-to-libm` takes a scalable vector for one of as many elements as its least length: of `vector<[4]xf32>` it computes elements 0 to 3, and leaves all others 0 on a machine whose vectors are longer. The program stays valid; its numbers are wrong.
// Expected: A loop over `4 * vector.vscale` elements, or an error.
// Ours: `lh-call-libm`
// Change: `VecOpToScalarOp::matchAndRewrite` in `mlir/lib/Conversion/MathToLibm/MathToLibm.cpp` asks `VectorType::getShape` and unrolls. At the least it has to return failure if `vecType.isScalable()`; better, it makes an `scf.for` up to the product of `vector.vscale` and the least length, with `vector.extract` and `vector.insert` at the loop's index.
// Upstream: No report known
//
// RUN: mlir-opt %s -convert-math-to-libm | FileCheck %s

// CHECK-LABEL: func.func @erf(
//  CHECK-SAME:   %[[X:.*]]: vector<[4]xf32>)
//       CHECK:   arith.constant dense<0.000000e+00> : vector<[4]xf32>
// CHECK-COUNT-4: call @erff
//   CHECK-NOT:   call @erff
//   CHECK-NOT:   vector.vscale
//       CHECK:   return
func.func @erf(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  %y = math.erf %x : vector<[4]xf32>
  return %y : vector<[4]xf32>
}
