// Elements of any number: whole strips without a mask, then one with.
// VECTOR-LABEL: func.func @main
// VECTOR:       tensor.collapse_shape
// VECTOR:       scf.for
// VECTOR-NOT:     vector.create_mask
// VECTOR:         math.erf {{.*}} : vector<
// VECTOR:         scf.yield
// VECTOR:       scf.for
// VECTOR:         vector.create_mask
// VECTOR:         math.erf {{.*}} : vector<
// VECTOR-NOT:   linalg.generic
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %c1 = arith.constant 1 : index
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %root = arith.constant 0.70710678 : f32
  %d = tensor.dim %x, %c1 : tensor<3x?xf32>
  %e = tensor.empty(%d) : tensor<3x?xf32>
  %y = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<3x?xf32>) outs(%e : tensor<3x?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %scaled = arith.mulf %a, %root : f32
    %erf = math.erf %scaled : f32
    %share = arith.addf %erf, %one : f32
    %halved = arith.mulf %a, %half : f32
    %v = arith.mulf %share, %halved : f32
    linalg.yield %v : f32
  } -> tensor<3x?xf32>
  return %y : tensor<3x?xf32>
}
