// A product's and a sum's roundings are one factor per term; what a sum starts
// from counts unless it is zero.
// RUN: lh-run apply "lh-error-bounds,canonicalize" %s | FileCheck %s
// RUN: lh-run apply "lh-error-bounds{proof},canonicalize" %s | FileCheck %s --check-prefix=PROOF
// RUN: lh-run apply "lh-error-bounds{operands=bfloat16},canonicalize" %s | FileCheck %s --check-prefix=OPERANDS
// RUN: lh-run apply "lh-error-bounds{operands=tf32},canonicalize" %s | FileCheck %s --check-prefix=TF32
// RUN: lh-run apply "lh-error-bounds{operands=tf32-truncated},canonicalize" %s | FileCheck %s --check-prefix=CUT
// RUN: not lh-run apply "lh-error-bounds{operands=float8}" %s 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: unknown type 'float8' in operands=; it is bfloat16, float16, tf32 or tf32-truncated

// CHECK: @main(
// CHECK-SAME: tensor<4x4xf64> {lh.name = "y#bound", lh.type = "float64"}
// 4 sqrt(256) + 1 half units of f32; in proof 255 and 1, less than 0.002 % more.
// CHECK-DAG: %[[PER_TERM:.*]] = arith.constant 3.87{{.*}}E-6 : f64
// PROOF-DAG: arith.constant 1.525{{.*}}E-5 : f64
// 2 and a bit times 2^-8, or times 2^-11, for a product's two factors.
// OPERANDS-DAG: arith.constant 0.00783{{.*}} : f64
// TF32-DAG: arith.constant 9.80{{.*}}E-4 : f64
// What is cut off may be twice what is rounded off.
// CUT-DAG: arith.constant {{0.00195.*|1.95.*E-3}} : f64
// CHECK: %[[SUM:.*]]:2 = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[Y:.*]]: f32, %[[E:.*]]: f64):
// CHECK: %[[TERM:.*]] = arith.mulf %[[A]], %[[B]] : f32
// CHECK: %[[WIDE:.*]] = arith.extf %[[TERM]]
// CHECK: %[[SIZE:.*]] = math.absf %[[WIDE]] : f64
// CHECK: %[[OWN:.*]] = arith.mulf %[[SIZE]], %[[PER_TERM]] : f64
// CHECK: %[[TOTAL:.*]] = arith.addf %[[E]], %[[OWN]] : f64
// CHECK: linalg.yield %{{.*}}, %[[TOTAL]] : f32, f64
// CHECK: return %[[SUM]]#0, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf64>
func.func @main(%a: tensor<4x256xf32>, %b: tensor<256x4xf32>)
    -> (tensor<4x4xf32> {lh.name = "y", lh.type = "float32"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4x4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<4x4xf32>)
      -> tensor<4x4xf32>
  %y = linalg.matmul ins(%a, %b : tensor<4x256xf32>, tensor<256x4xf32>)
      outs(%start : tensor<4x4xf32>) -> tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}
