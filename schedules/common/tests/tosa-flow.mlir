// Control flow becomes scf's, with what is in it, and a scatter a loop.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tosa
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.while
func.func @main(%x: tensor<2x6x3xf32>, %new: tensor<2x2x3xf32>) -> tensor<2x6x3xf32> {
  %places = "tosa.const"() {values = dense<[[4, 1], [0, 5]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
  %placed = tosa.scatter %x, %places, %new : (tensor<2x6x3xf32>, tensor<2x2xi32>, tensor<2x2x3xf32>) -> tensor<2x6x3xf32>
  %sum = tosa.reduce_sum %x {axis = 0 : i32} : (tensor<2x6x3xf32>) -> tensor<1x6x3xf32>
  %rows = tosa.reduce_sum %sum {axis = 1 : i32} : (tensor<1x6x3xf32>) -> tensor<1x1x3xf32>
  %all = tosa.reduce_sum %rows {axis = 2 : i32} : (tensor<1x1x3xf32>) -> tensor<1x1x1xf32>
  %none = tosa.const_shape {values = dense<> : tensor<0xindex>} : () -> !tosa.shape<0>
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
  %positive = tosa.greater %all, %zero : (tensor<1x1x1xf32>, tensor<1x1x1xf32>) -> tensor<1x1x1xi1>
  %flag = tosa.reshape %positive, %none : (tensor<1x1x1xi1>, !tosa.shape<0>) -> tensor<i1>
  %chosen = "tosa.cond_if"(%flag, %placed, %x) ({
  ^bb0(%a: tensor<2x6x3xf32>, %b: tensor<2x6x3xf32>):
    %r = tosa.add %a, %b : (tensor<2x6x3xf32>, tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
    tosa.yield %r : tensor<2x6x3xf32>
  }, {
  ^bb0(%a: tensor<2x6x3xf32>, %b: tensor<2x6x3xf32>):
    %r = tosa.sub %a, %b : (tensor<2x6x3xf32>, tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
    tosa.yield %r : tensor<2x6x3xf32>
  }) : (tensor<i1>, tensor<2x6x3xf32>, tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
  %three = "tosa.const"() {values = dense<3> : tensor<1xi32>} : () -> tensor<1xi32>
  %one = "tosa.const"() {values = dense<1> : tensor<1xi32>} : () -> tensor<1xi32>
  %nothing = "tosa.const"() {values = dense<0> : tensor<1xi32>} : () -> tensor<1xi32>
  %n, %result = "tosa.while_loop"(%three, %chosen) ({
  ^bb0(%i: tensor<1xi32>, %v: tensor<2x6x3xf32>):
    %more = tosa.greater %i, %nothing : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %goes_on = tosa.reshape %more, %none : (tensor<1xi1>, !tosa.shape<0>) -> tensor<i1>
    tosa.yield %goes_on : tensor<i1>
  }, {
  ^bb0(%i: tensor<1xi32>, %v: tensor<2x6x3xf32>):
    %j = tosa.sub %i, %one : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
    %w = tosa.add %v, %x : (tensor<2x6x3xf32>, tensor<2x6x3xf32>) -> tensor<2x6x3xf32>
    tosa.yield %j, %w : tensor<1xi32>, tensor<2x6x3xf32>
  }) : (tensor<1xi32>, tensor<2x6x3xf32>) -> (tensor<1xi32>, tensor<2x6x3xf32>)
  return %result : tensor<2x6x3xf32>
}
