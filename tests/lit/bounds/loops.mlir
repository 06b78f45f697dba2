// Errors are carried through loops and branches beside their values.
// RUN: lh-run apply "lh-error-bounds,canonicalize" %s | FileCheck %s
// RUN: lh-run apply "lh-error-bounds,lh-widen,canonicalize,one-shot-bufferize{bufferize-function-boundaries allow-return-allocs-from-loops},convert-linalg-to-loops" %s -o /dev/null
// CHECK: scf.for {{.*}} iter_args({{.*}}, {{.*}}) -> (tensor<4xf32>, tensor<4xf64>)
// CHECK: scf.if {{.*}} -> (tensor<4xf32>, tensor<4xf64>)
// CHECK: scf.yield {{.*}} : tensor<4xf32>, tensor<4xf64>
// CHECK: scf.yield {{.*}} : tensor<4xf32>, tensor<4xf64>
// CHECK: tensor.pad
// CHECK: } : tensor<4xf32> to tensor<6xf32>
// CHECK: tensor.pad
// CHECK: } : tensor<4xf64> to tensor<6xf64>
// CHECK: return
func.func @main(%x: tensor<4xf32>, %which: tensor<i1>) -> tensor<6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<4xf32>
  %power = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x)
      -> tensor<4xf32> {
    %next = linalg.mul ins(%x, %y : tensor<4xf32>, tensor<4xf32>)
        outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %next : tensor<4xf32>
  }
  %condition = tensor.extract %which[] : tensor<i1>
  %chosen = scf.if %condition -> tensor<4xf32> {
    %twice = linalg.add ins(%x, %power : tensor<4xf32>, tensor<4xf32>)
        outs(%empty : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %twice : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %padded = tensor.pad %chosen low[1] high[1] {
  ^bb0(%i: index):
    tensor.yield %zero : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %padded : tensor<6xf32>
}
