// A thread for each point: of a transpose (neighbouring threads write neighbouring
// elements), a padded copy, a strided window's maximum, a gather, and of the place
// of a row's maximum, which has two results. A constant is the kernel's own.
// KERNELS-LABEL: func.func @main
// KERNELS-COUNT-8: gpu.launch
// KERNELS-NOT:     linalg.
// KERNELS-NOT:     memref.copy
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<13x37xf32>, %image: tensor<2x3x9x11xf32>)
    -> (tensor<37x13xf32>, tensor<15x40xf32>, tensor<2x3x4x5xf32>,
        tensor<5x37xf32>, tensor<13xi64>) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %none = arith.constant 0 : i64
  %places = arith.constant dense<[12, 0, 7, 7, 3]> : tensor<5xi64>
  %te = tensor.empty() : tensor<37x13xf32>
  %turned = linalg.transpose ins(%x : tensor<13x37xf32>)
      outs(%te : tensor<37x13xf32>) permutation = [1, 0]
  %padded = tensor.pad %x low[1, 2] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<13x37xf32> to tensor<15x40xf32>
  %window = tensor.empty() : tensor<2x3xf32>
  %pe = tensor.empty() : tensor<2x3x4x5xf32>
  %p0 = linalg.fill ins(%lowest : f32) outs(%pe : tensor<2x3x4x5xf32>)
      -> tensor<2x3x4x5xf32>
  %pooled = linalg.pooling_nchw_max {dilations = dense<1> : tensor<2xi64>,
      strides = dense<2> : tensor<2xi64>}
      ins(%image, %window : tensor<2x3x9x11xf32>, tensor<2x3xf32>)
      outs(%p0 : tensor<2x3x4x5xf32>) -> tensor<2x3x4x5xf32>
  %ge = tensor.empty() : tensor<5x37xf32>
  %gathered = linalg.generic {indexing_maps = [#row, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%places : tensor<5xi64>) outs(%ge : tensor<5x37xf32>) {
  ^bb0(%place: i64, %old: f32):
    %j = linalg.index 1 : index
    %i = arith.index_cast %place : i64 to index
    %v = tensor.extract %x[%i, %j] : tensor<13x37xf32>
    linalg.yield %v : f32
  } -> tensor<5x37xf32>
  %be = tensor.empty() : tensor<13xf32>
  %b0 = linalg.fill ins(%lowest : f32) outs(%be : tensor<13xf32>)
      -> tensor<13xf32>
  %ie = tensor.empty() : tensor<13xi64>
  %i0 = linalg.fill ins(%none : i64) outs(%ie : tensor<13xi64>)
      -> tensor<13xi64>
  %best:2 = linalg.generic {indexing_maps = [#id, #row, #row],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<13x37xf32>)
      outs(%b0, %i0 : tensor<13xf32>, tensor<13xi64>) {
  ^bb0(%a: f32, %value: f32, %place: i64):
    %j = linalg.index 1 : index
    %here = arith.index_cast %j : index to i64
    %more = arith.cmpf ogt, %a, %value : f32
    %v = arith.select %more, %a, %value : f32
    %p = arith.select %more, %here, %place : i64
    linalg.yield %v, %p : f32, i64
  } -> (tensor<13xf32>, tensor<13xi64>)
  return %turned, %padded, %pooled, %gathered, %best#1
      : tensor<37x13xf32>, tensor<15x40xf32>, tensor<2x3x4x5xf32>,
        tensor<5x37xf32>, tensor<13xi64>
}
