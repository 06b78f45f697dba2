// The gate of a feed-forward layer: y = SiLU(a b + bias) * (a c).
#each = affine_map<(m, n) -> (m, n)>
#column = affine_map<(m, n) -> (n)>
func.func @main(%a: tensor<37x50xf32>, %b: tensor<50x75xf32>,
                %bias: tensor<75xf32>, %c: tensor<50x75xf32>)
    -> tensor<37x75xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %empty = tensor.empty() : tensor<37x75xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<37x75xf32>)
      -> tensor<37x75xf32>
  %left = linalg.matmul ins(%a, %b : tensor<37x50xf32>, tensor<50x75xf32>)
      outs(%start : tensor<37x75xf32>) -> tensor<37x75xf32>
  %right = linalg.matmul ins(%a, %c : tensor<37x50xf32>, tensor<50x75xf32>)
      outs(%start : tensor<37x75xf32>) -> tensor<37x75xf32>
  %gate = linalg.generic {
      indexing_maps = [#each, #column, #each, #each],
      iterator_types = ["parallel", "parallel"]}
      ins(%left, %bias, %right
          : tensor<37x75xf32>, tensor<75xf32>, tensor<37x75xf32>)
      outs(%empty : tensor<37x75xf32>) {
  ^bb0(%l: f32, %add: f32, %r: f32, %old: f32):
    %x = arith.addf %l, %add : f32
    %minus = arith.negf %x : f32
    %power = math.exp %minus : f32
    %sum = arith.addf %power, %one : f32
    %silu = arith.divf %x, %sum : f32
    %y = arith.mulf %silu, %r : f32
    linalg.yield %y : f32
  } -> tensor<37x75xf32>
  return %gate : tensor<37x75xf32>
}
