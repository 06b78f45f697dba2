// norm.mlir for more numbers than a cache holds:
// c = x - mean(x), y = c rsqrt(mean(c c) + epsilon).
#each = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
func.func @rows(%x: tensor<8209x1003xf32>) -> tensor<8209x1003xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 1003.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %empty = tensor.empty() : tensor<8209x1003xf32>
  %numbers = tensor.empty() : tensor<8209xf32>
  %start = linalg.fill ins(%zero : f32) outs(%numbers : tensor<8209xf32>)
      -> tensor<8209xf32>
  %sum = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8209x1003xf32>) outs(%start : tensor<8209xf32>) {
  ^bb0(%number: f32, %so_far: f32):
    %next = arith.addf %so_far, %number : f32
    linalg.yield %next : f32
  } -> tensor<8209xf32>
  %centered = linalg.generic {
      indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8209x1003xf32>, tensor<8209xf32>)
      outs(%empty : tensor<8209x1003xf32>) {
  ^bb0(%number: f32, %s: f32, %old: f32):
    %mean = arith.divf %s, %count : f32
    %difference = arith.subf %number, %mean : f32
    linalg.yield %difference : f32
  } -> tensor<8209x1003xf32>
  %squares = linalg.generic {
      indexing_maps = [#each, #row], iterator_types = ["parallel", "reduction"]}
      ins(%centered : tensor<8209x1003xf32>) outs(%start : tensor<8209xf32>) {
  ^bb0(%number: f32, %so_far: f32):
    %square = arith.mulf %number, %number : f32
    %next = arith.addf %so_far, %square : f32
    linalg.yield %next : f32
  } -> tensor<8209xf32>
  %y = linalg.generic {
      indexing_maps = [#each, #row, #each], iterator_types = ["parallel", "parallel"]}
      ins(%centered, %squares : tensor<8209x1003xf32>, tensor<8209xf32>)
      outs(%empty : tensor<8209x1003xf32>) {
  ^bb0(%number: f32, %s: f32, %old: f32):
    %variance = arith.divf %s, %count : f32
    %shifted = arith.addf %variance, %epsilon : f32
    %root = math.rsqrt %shifted : f32
    %scaled = arith.mulf %number, %root : f32
    linalg.yield %scaled : f32
  } -> tensor<8209x1003xf32>
  return %y : tensor<8209x1003xf32>
}
