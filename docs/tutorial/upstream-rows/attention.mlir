// Attention of one head: y = softmax(q kt / 8) v, kt with its keys in columns.
#each = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @rows(%q: tensor<253x64xf32>, %kt: tensor<64x509xf32>,
                %v: tensor<509x64xf32>) -> tensor<253x64xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.125 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %empty = tensor.empty() : tensor<253x509xf32>
  %nothing = linalg.fill ins(%zero : f32) outs(%empty : tensor<253x509xf32>)
      -> tensor<253x509xf32>
  %scores = linalg.matmul ins(%q, %kt : tensor<253x64xf32>, tensor<64x509xf32>)
      outs(%nothing : tensor<253x509xf32>) -> tensor<253x509xf32>
  %x = linalg.generic {
      indexing_maps = [#each, #each], iterator_types = ["parallel", "parallel"]}
      ins(%scores : tensor<253x509xf32>) outs(%empty : tensor<253x509xf32>) {
  ^bb0(%number: f32, %old: f32):
    %scaled = arith.mulf %number, %scale : f32
    linalg.yield %scaled : f32
  } -> tensor<253x509xf32>
  %numbers = tensor.empty() : tensor<253xf32>
  %least = linalg.fill ins(%lowest : f32) outs(%numbers : tensor<253xf32>)
      -> tensor<253xf32>
  %largest = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<253x509xf32>) outs(%least : tensor<253xf32>) {
  ^bb0(%number: f32, %so_far: f32):
    %next = arith.maximumf %so_far, %number : f32
    linalg.yield %next : f32
  } -> tensor<253xf32>
  %e = linalg.generic {
      indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%x, %largest : tensor<253x509xf32>, tensor<253xf32>)
      outs(%empty : tensor<253x509xf32>) {
  ^bb0(%number: f32, %most: f32, %old: f32):
    %difference = arith.subf %number, %most : f32
    %exp = math.exp %difference : f32
    linalg.yield %exp : f32
  } -> tensor<253x509xf32>
  %start = linalg.fill ins(%zero : f32) outs(%numbers : tensor<253xf32>)
      -> tensor<253xf32>
  %sum = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%e : tensor<253x509xf32>) outs(%start : tensor<253xf32>) {
  ^bb0(%number: f32, %so_far: f32):
    %next = arith.addf %so_far, %number : f32
    linalg.yield %next : f32
  } -> tensor<253xf32>
  %parts = linalg.generic {
      indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%e, %sum : tensor<253x509xf32>, tensor<253xf32>)
      outs(%empty : tensor<253x509xf32>) {
  ^bb0(%number: f32, %s: f32, %old: f32):
    %part = arith.divf %number, %s : f32
    linalg.yield %part : f32
  } -> tensor<253x509xf32>
  %none = tensor.empty() : tensor<253x64xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%none : tensor<253x64xf32>)
      -> tensor<253x64xf32>
  %y = linalg.matmul ins(%parts, %v : tensor<253x509xf32>, tensor<509x64xf32>)
      outs(%zeros : tensor<253x64xf32>) -> tensor<253x64xf32>
  return %y : tensor<253x64xf32>
}
