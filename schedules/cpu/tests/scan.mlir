// Of four products of a step, one is of the input; the second is of the state,
// the third of steps that the loop doesn't all take, and the fourth of a column
// that becomes a row.
// CHECK-LABEL: func.func @main
// CHECK: %[[ALL:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]] : tensor<7x3x5xf32> into tensor<21x5xf32>
// CHECK: %[[P:.*]] = linalg.matmul ins(%[[ALL]], {{.*}} -> tensor<21x11xf32>
// CHECK: %[[STEPS:.*]] = tensor.expand_shape %[[P]]
// CHECK: scf.for
// CHECK: tensor.extract_slice %[[STEPS]][
// CHECK-COUNT-3: linalg.matmul
// CHECK-NOT: linalg.matmul
func.func @main(%x: tensor<7x3x5xf32>, %w: tensor<5x11xf32>, %u: tensor<11x11xf32>, %longer: tensor<9x3x5xf32>, %columns: tensor<7x5x1xf32>) -> tensor<3x11xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<3x11xf32>
  %none = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x11xf32>) -> tensor<3x11xf32>
  %empty_of_one = tensor.empty() : tensor<1x11xf32>
  %none_of_one = linalg.fill ins(%zero : f32) outs(%empty_of_one : tensor<1x11xf32>) -> tensor<1x11xf32>
  %h = scf.for %i = %c0 to %c7 step %c1 iter_args(%state = %none) -> tensor<3x11xf32> {
    %from_end = arith.subi %c6, %i : index
    %step = tensor.extract_slice %x[%from_end, 0, 0] [1, 3, 5] [1, 1, 1] : tensor<7x3x5xf32> to tensor<3x5xf32>
    %other = tensor.extract_slice %longer[%i, 0, 0] [1, 3, 5] [1, 1, 1] : tensor<9x3x5xf32> to tensor<3x5xf32>
    %in = linalg.matmul ins(%step, %w : tensor<3x5xf32>, tensor<5x11xf32>) outs(%none : tensor<3x11xf32>) -> tensor<3x11xf32>
    %kept = linalg.matmul ins(%state, %u : tensor<3x11xf32>, tensor<11x11xf32>) outs(%none : tensor<3x11xf32>) -> tensor<3x11xf32>
    %late = linalg.matmul ins(%other, %w : tensor<3x5xf32>, tensor<5x11xf32>) outs(%none : tensor<3x11xf32>) -> tensor<3x11xf32>
    %row = tensor.extract_slice %columns[%i, 0, 0] [1, 5, 1] [1, 1, 1] : tensor<7x5x1xf32> to tensor<1x5xf32>
    %one = linalg.matmul ins(%row, %w : tensor<1x5xf32>, tensor<5x11xf32>) outs(%none_of_one : tensor<1x11xf32>) -> tensor<1x11xf32>
    %next = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (0, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%in, %kept, %late, %one : tensor<3x11xf32>, tensor<3x11xf32>, tensor<3x11xf32>, tensor<1x11xf32>) outs(%empty : tensor<3x11xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32, %unused: f32):
      %s = arith.addf %a, %b : f32
      %r = arith.addf %s, %d : f32
      %t = arith.addf %r, %c : f32
      %bounded = math.tanh %t : f32
      linalg.yield %bounded : f32
    } -> tensor<3x11xf32>
    scf.yield %next : tensor<3x11xf32>
  }
  return %h : tensor<3x11xf32>
}
