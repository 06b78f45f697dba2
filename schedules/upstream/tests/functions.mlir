// What the library of vector functions computes is computed a vector at a time, of
// sizes that fill none, too.
// CHECK-NOT: linalg.generic {
// CHECK: math.erf {{.*}} : vector<[[LANES:(4|8|16)]]xf32>
// CHECK: math.atan {{.*}} : vector<[[LANES]]xf32>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%x: tensor<?x37xf32>, %d: tensor<3x65xf64>, %h: tensor<5x19xf16>)
    -> (tensor<?x37xf32>, tensor<3x65xf64>, tensor<5x19xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x37xf32>
  %singles = tensor.empty(%n) : tensor<?x37xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x37xf32>) outs(%singles : tensor<?x37xf32>) {
  ^bb0(%in: f32, %out: f32):
    %1 = math.erf %in : f32
    %2 = math.tanh %1 : f32
    %3 = math.sin %2 : f32
    %4 = math.absf %in : f32
    %5 = math.log1p %4 : f32
    %6 = math.exp %3 : f32
    %7 = math.atan %5 : f32
    %8 = arith.addf %6, %7 : f32
    linalg.yield %8 : f32
  } -> tensor<?x37xf32>
  %doubles = tensor.empty() : tensor<3x65xf64>
  %11 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%d : tensor<3x65xf64>) outs(%doubles : tensor<3x65xf64>) {
  ^bb0(%in: f64, %out: f64):
    %12 = math.exp %in : f64
    %13 = math.cos %12 : f64
    linalg.yield %13 : f64
  } -> tensor<3x65xf64>
  %halves = tensor.empty() : tensor<5x19xf16>
  %14 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<5x19xf16>) outs(%halves : tensor<5x19xf16>) {
  ^bb0(%in: f16, %out: f16):
    %15 = math.expm1 %in : f16
    linalg.yield %15 : f16
  } -> tensor<5x19xf16>
  return %0, %11, %14 : tensor<?x37xf32>, tensor<3x65xf64>, tensor<5x19xf16>
}
