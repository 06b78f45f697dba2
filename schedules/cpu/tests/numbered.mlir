// Sums whose terms know where they stand, of i1, and of a diagonal: in strips they
// would be others.
// VECTOR-LABEL: func.func @main
// VECTOR:       linalg.generic
// VECTOR:         linalg.index
#id = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
#square = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#diagonal = affine_map<(i) -> (i, i)>
func.func @main(%x: tensor<200xf32>, %m: tensor<5x150xf32>, %d: tensor<70x70xf32>)
    -> (tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<i32>, tensor<5xi32>,
        tensor<200xi32>) {
  %zero = arith.constant 0.0 : f32
  %false = arith.constant false
  %e0 = tensor.empty() : tensor<f32>
  %z0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %e1 = tensor.empty() : tensor<5xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<5xf32>) -> tensor<5xf32>

  // Of a vector, and of the rows of a matrix, times their indices.
  %weighted = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
      ins(%x : tensor<200xf32>) outs(%z0 : tensor<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %term = arith.mulf %a, %f : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  %rows = linalg.generic {indexing_maps = [#square, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<5x150xf32>) outs(%z1 : tensor<5xf32>) {
  ^bb0(%a: f32, %sum: f32):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %term = arith.mulf %a, %f : f32
    %next = arith.addf %sum, %term : f32
    linalg.yield %next : f32
  } -> tensor<5xf32>

  %trace = linalg.generic {indexing_maps = [#diagonal, #one],
      iterator_types = ["reduction"]}
      ins(%d : tensor<70x70xf32>) outs(%z0 : tensor<f32>) {
  ^bb0(%a: f32, %sum: f32):
    %next = arith.addf %sum, %a : f32
    linalg.yield %next : f32
  } -> tensor<f32>

  // Parities: of how many numbers of a vector, and of a row, are positive.
  %eb = tensor.empty() : tensor<200xi1>
  %signs = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<200xf32>) outs(%eb : tensor<200xi1>) {
  ^bb0(%a: f32, %old: i1):
    %is = arith.cmpf ogt, %a, %zero : f32
    linalg.yield %is : i1
  } -> tensor<200xi1>
  %e2 = tensor.empty() : tensor<i1>
  %z2 = linalg.fill ins(%false : i1) outs(%e2 : tensor<i1>) -> tensor<i1>
  %parity = linalg.generic {indexing_maps = [#id, #one], iterator_types = ["reduction"]}
      ins(%signs : tensor<200xi1>) outs(%z2 : tensor<i1>) {
  ^bb0(%a: i1, %sum: i1):
    %next = arith.addi %sum, %a : i1
    linalg.yield %next : i1
  } -> tensor<i1>
  %e3 = tensor.empty() : tensor<i32>
  %wide = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>],
      iterator_types = []} ins(%parity : tensor<i1>) outs(%e3 : tensor<i32>) {
  ^bb0(%a: i1, %old: i32):
    %n = arith.extui %a : i1 to i32
    linalg.yield %n : i32
  } -> tensor<i32>
  %e4 = tensor.empty() : tensor<5xi1>
  %z4 = linalg.fill ins(%false : i1) outs(%e4 : tensor<5xi1>) -> tensor<5xi1>
  %parities = linalg.generic {indexing_maps = [#square, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%m : tensor<5x150xf32>) outs(%z4 : tensor<5xi1>) {
  ^bb0(%a: f32, %sum: i1):
    %is = arith.cmpf ogt, %a, %zero : f32
    %next = arith.addi %sum, %is : i1
    linalg.yield %next : i1
  } -> tensor<5xi1>
  %e5 = tensor.empty() : tensor<5xi32>
  %wides = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%parities : tensor<5xi1>) outs(%e5 : tensor<5xi32>) {
  ^bb0(%a: i1, %old: i32):
    %n = arith.extui %a : i1 to i32
    linalg.yield %n : i32
  } -> tensor<5xi32>
  // Flags in memory.
  %e6 = tensor.empty() : tensor<200xi32>
  %flags = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%signs : tensor<200xi1>) outs(%e6 : tensor<200xi32>) {
  ^bb0(%a: i1, %old: i32):
    %n = arith.extui %a : i1 to i32
    linalg.yield %n : i32
  } -> tensor<200xi32>
  return %weighted, %rows, %trace, %wide, %wides, %flags
      : tensor<f32>, tensor<5xf32>, tensor<f32>, tensor<i32>, tensor<5xi32>, tensor<200xi32>
}
