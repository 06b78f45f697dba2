// A masked lane would divide by anything: integer divisions stay scalar.
// VECTOR-LABEL: func.func @main
// VECTOR:       linalg.generic
// VECTOR:         arith.divsi {{.*}} : i32
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<70xi32>) -> tensor<70xi32> {
  %seven = arith.constant 7 : i32
  %three = arith.constant 3 : i32
  %e = tensor.empty() : tensor<70xi32>
  %y = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel"]}
      ins(%x : tensor<70xi32>) outs(%e : tensor<70xi32>) {
  ^bb0(%a: i32, %b: i32):
    %rest = arith.andi %a, %three : i32
    %divisor = arith.addi %rest, %seven : i32
    %v = arith.divsi %a, %divisor : i32
    linalg.yield %v : i32
  } -> tensor<70xi32>
  return %y : tensor<70xi32>
}
