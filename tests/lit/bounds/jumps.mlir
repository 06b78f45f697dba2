// A quantised value is in doubt only where a tie may go either way: its error
// is how far rounding moves when its input does. Other values have the bound 0.
// RUN: lh-run apply "lh-error-bounds,canonicalize" %s | FileCheck %s
#id = affine_map<(d0) -> (d0)>
// CHECK: @main(
// CHECK-SAME: -> (tensor<6xi8> {lh.name = "q"}, tensor<6xf32>, tensor<6xi32>, tensor<6xf64> {lh.name = "q#bound", {{.*}}}, tensor<6xf64> {lh.name = "result1#bound", {{.*}}}, tensor<6xf64> {lh.name = "result2#bound", {{.*}}})
// CHECK: ^bb0
// CHECK: %[[X:.*]] = arith.divf
// CHECK-DAG: math.roundeven %{{.*}} : f32
// CHECK-DAG: %[[LOW:.*]] = math.roundeven %{{.*}} : f64
// CHECK-DAG: %[[HIGH:.*]] = math.roundeven %{{.*}} : f64
// CHECK: math.trunc
// CHECK: linalg.yield %{{.*}}, %{{.*}} : i8, f64
// The larger of exact numbers is exact, and so is an exact integer.
// CHECK: %[[LARGER:.*]] = linalg.fill
// CHECK: %[[INTEGERS:.*]] = linalg.fill
// CHECK: return {{.*}}, %[[LARGER]], %[[INTEGERS]] :
func.func @main(%x: tensor<6xf32>, %scale: tensor<f32>)
    -> (tensor<6xi8> {lh.name = "q"}, tensor<6xf32>, tensor<6xi32>) {
  %s = tensor.extract %scale[] : tensor<f32>
  %bytes = tensor.empty() : tensor<6xi8>
  %q = linalg.generic {indexing_maps = [#id, #id],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<6xf32>) outs(%bytes : tensor<6xi8>) {
  ^bb0(%in: f32, %out: i8):
    %high = arith.constant 127.0 : f32
    %ratio = arith.divf %in, %s : f32
    %round = math.roundeven %ratio : f32
    %clamp = arith.minimumf %round, %high : f32
    %wide = arith.fptosi %clamp : f32 to i32
    %narrow = arith.trunci %wide : i32 to i8
    linalg.yield %narrow : i8
  } -> tensor<6xi8>
  %floats = tensor.empty() : tensor<6xf32>
  %larger = linalg.max ins(%x, %x : tensor<6xf32>, tensor<6xf32>)
      outs(%floats : tensor<6xf32>) -> tensor<6xf32>
  %integers = arith.constant dense<1> : tensor<6xi32>
  return %q, %larger, %integers : tensor<6xi8>, tensor<6xf32>, tensor<6xi32>
}
