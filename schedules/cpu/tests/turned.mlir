// Matrices are turned in registers, by blocks of 16 x 16 and what is left of them
// under masks; a vector is added to one's columns. One with 3 rows isn't.
// VECTOR-LABEL: func.func @main
// VECTOR:       scf.for
// VECTOR:         scf.for
// VECTOR:         vector.transfer_read {{.*}} tensor<48x32xf32>, vector<16x16xf32>
// VECTOR:         vector.shuffle
// VECTOR-NOT:   vector.transpose
// VECTOR:         vector.transfer_read {{.*}} tensor<37x24xf32>, vector<16x16xf32>
// VECTOR-NOT:   vector.transpose
// VECTOR:         vector.constant_mask [5, 16] : vector<16x16xi1>
// VECTOR-NOT:   vector.transpose
func.func @main(%x: tensor<48x32xf32>, %y: tensor<3x32xf32>, %v: tensor<48xf32>,
                %z: tensor<37x24xf32>)
    -> (tensor<32x48xf32>, tensor<32x3xf32>, tensor<24x37xf32>) {
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
  %odd = tensor.empty() : tensor<24x37xf32>
  %w = linalg.generic
      {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
       iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<37x24xf32>) outs(%odd : tensor<24x37xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<24x37xf32>
  return %t, %u, %w : tensor<32x48xf32>, tensor<32x3xf32>, tensor<24x37xf32>
}
