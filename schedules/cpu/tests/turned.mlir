// A matrix of whole blocks is turned in registers, a vector added to its
// columns; one with 3 rows isn't.
// VECTOR-LABEL: func.func @main
// VECTOR:       scf.forall
// VECTOR:         scf.for
// VECTOR:         vector.transfer_read {{.*}} tensor<48x32xf32>, vector<16x16xf32>
// VECTOR:         vector.shuffle
// VECTOR-NOT:   vector.transpose
func.func @main(%x: tensor<48x32xf32>, %y: tensor<3x32xf32>, %v: tensor<48xf32>)
    -> (tensor<32x48xf32>, tensor<32x3xf32>) {
  %out = tensor.empty() : tensor<32x48xf32>
  %t = linalg.generic
      {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (j)>,
                        affine_map<(i, j) -> (i, j)>],
       iterator_types = ["parallel", "parallel"]}
      ins(%x, %v : tensor<48x32xf32>, tensor<48xf32>)
      outs(%out : tensor<32x48xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %sum = arith.addf %a, %b : f32
    linalg.yield %sum : f32
  } -> tensor<32x48xf32>
  %few = tensor.empty() : tensor<32x3xf32>
  %u = linalg.transpose ins(%y : tensor<3x32xf32>) outs(%few : tensor<32x3xf32>)
      permutation = [1, 0]
  return %t, %u : tensor<32x48xf32>, tensor<32x3xf32>
}
