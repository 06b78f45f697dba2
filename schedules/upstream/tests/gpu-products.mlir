// f32 by threads, f16 by tensor cores, any operand of f32 and the right one of f16
// transposed; f16 with the left one transposed stays a linalg op.
// MAP:       func.func @kernel
// MAP-DAG:   vector.fma
// MAP-DAG:   nvgpu.device_async_copy
// MAP-DAG:   nvgpu.ldmatrix
// MAP-DAG:   nvgpu.mma.sync
// MAP:       func.func @main
// MAP:       linalg.generic {{.*}} ins(%{{.*}} : memref<40x67xf16
#mn = affine_map<(m, n, k) -> (m, n)>
#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#km = affine_map<(m, n, k) -> (k, m)>
#kn = affine_map<(m, n, k) -> (k, n)>
#bmn = affine_map<(b, m, n, k) -> (b, m, n)>
#bmk = affine_map<(b, m, n, k) -> (b, m, k)>
#bnk = affine_map<(b, m, n, k) -> (b, n, k)>
func.func @main(%a: tensor<67x40xf32>, %b: tensor<40x150xf32>, %at: tensor<40x67xf32>,
                %bt: tensor<150x40xf32>, %h: tensor<67x97xf16>, %ht: tensor<40x67xf16>,
                %wt: tensor<150x97xf16>, %w: tensor<40x150xf16>,
                %q: tensor<2x17x9xf16>, %r: tensor<2x31x9xf16>)
    -> (tensor<67x150xf32>, tensor<67x150xf32>, tensor<67x150xf32>, tensor<67x150xf32>,
        tensor<2x17x31xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<67x150xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<67x150xf32>) -> tensor<67x150xf32>
  %f0 = linalg.matmul ins(%a, %b : tensor<67x40xf32>, tensor<40x150xf32>)
      outs(%z : tensor<67x150xf32>) -> tensor<67x150xf32>
  %f1 = linalg.matmul indexing_maps = [#km, #nk, #mn]
      ins(%at, %bt : tensor<40x67xf32>, tensor<150x40xf32>)
      outs(%z : tensor<67x150xf32>) -> tensor<67x150xf32>
  %f2 = linalg.matmul indexing_maps = [#mk, #nk, #mn]
      ins(%h, %wt : tensor<67x97xf16>, tensor<150x97xf16>)
      outs(%z : tensor<67x150xf32>) -> tensor<67x150xf32>
  %f3 = linalg.matmul indexing_maps = [#km, #kn, #mn]
      ins(%ht, %w : tensor<40x67xf16>, tensor<40x150xf16>)
      outs(%z : tensor<67x150xf32>) -> tensor<67x150xf32>
  %be = tensor.empty() : tensor<2x17x31xf32>
  %bz = linalg.fill ins(%zero : f32) outs(%be : tensor<2x17x31xf32>) -> tensor<2x17x31xf32>
  %f4 = linalg.batch_matmul indexing_maps = [#bmk, #bnk, #bmn]
      ins(%q, %r : tensor<2x17x9xf16>, tensor<2x31x9xf16>)
      outs(%bz : tensor<2x17x31xf32>) -> tensor<2x17x31xf32>
  return %f0, %f1, %f2, %f3, %f4 : tensor<67x150xf32>, tensor<67x150xf32>,
      tensor<67x150xf32>, tensor<67x150xf32>, tensor<2x17x31xf32>
}
