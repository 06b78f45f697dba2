// Bias and rectifier are computed on the accumulators; rows come 12 (or 6) at a
// time, and what is left of the unknown number one by one.
// PACK-LABEL: func.func @main
// PACK:       linalg.generic {{.*}}lh.choice = #dlti.map<"strategy" = "tile", "rule" = "many_columns">
// PACK:       linalg.generic {{.*}}lh.epilogue
//
// TILE-LABEL: func.func @main
// TILE:       [[SUM:%.*]] = scf.for {{.*}} -> (vector<{{12|6}}x{{16|32}}xf32>)
// TILE:         vector.contract
// TILE:       arith.addf [[SUM]],
// TILE:       arith.maximumf
// TILE-NEXT:  vector.transfer_write
// TILE-NOT:   linalg.generic
func.func @main(%a: tensor<?x20xf32>, %b: tensor<20x64xf32>,
                %bias: tensor<64xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %a, %c0 : tensor<?x20xf32>
  %out = tensor.empty(%rows) : tensor<?x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<?x64xf32>)
      -> tensor<?x64xf32>
  %product = linalg.matmul ins(%a, %b : tensor<?x20xf32>, tensor<20x64xf32>)
                           outs(%init : tensor<?x64xf32>) -> tensor<?x64xf32>
  %result = linalg.generic {
      indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>,
                       affine_map<(m, n) -> (m, n)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<?x64xf32>, tensor<64xf32>)
      outs(%out : tensor<?x64xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %sum = arith.addf %x, %y : f32
    %positive = arith.maximumf %sum, %zero : f32
    linalg.yield %positive : f32
  } -> tensor<?x64xf32>
  return %result : tensor<?x64xf32>
}
