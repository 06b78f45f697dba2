// Bytes of each sign by bytes of each sign; 37 of them fill 4 words of 8 and a
// part of one, 70 columns a panel and a part of one, 13 rows two tiles and one.
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<13x37xi8>, %b: tensor<37x70xi8>)
    -> (tensor<13x70xi32>, tensor<13x70xi32>, tensor<13x70xi32>, tensor<13x70xi32>) {
  %zero = arith.constant 0 : i32
  %as.out = tensor.empty() : tensor<13x37xi32>
  %as = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<13x37xi8>) outs(%as.out : tensor<13x37xi32>) {
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extsi %x : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<13x37xi32>
  %au.out = tensor.empty() : tensor<13x37xi32>
  %au = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<13x37xi8>) outs(%au.out : tensor<13x37xi32>) {
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extui %x : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<13x37xi32>
  %bs.out = tensor.empty() : tensor<37x70xi32>
  %bs = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<37x70xi8>) outs(%bs.out : tensor<37x70xi32>) {
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extsi %x : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<37x70xi32>
  %bu.out = tensor.empty() : tensor<37x70xi32>
  %bu = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<37x70xi8>) outs(%bu.out : tensor<37x70xi32>) {
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extui %x : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<37x70xi32>
  %out = tensor.empty() : tensor<13x70xi32>
  %init = linalg.fill ins(%zero : i32) outs(%out : tensor<13x70xi32>)
      -> tensor<13x70xi32>
  %ss = linalg.matmul ins(%as, %bs : tensor<13x37xi32>, tensor<37x70xi32>)
      outs(%init : tensor<13x70xi32>) -> tensor<13x70xi32>
  %su = linalg.matmul ins(%as, %bu : tensor<13x37xi32>, tensor<37x70xi32>)
      outs(%init : tensor<13x70xi32>) -> tensor<13x70xi32>
  %us = linalg.matmul ins(%au, %bs : tensor<13x37xi32>, tensor<37x70xi32>)
      outs(%init : tensor<13x70xi32>) -> tensor<13x70xi32>
  %uu = linalg.matmul ins(%au, %bu : tensor<13x37xi32>, tensor<37x70xi32>)
      outs(%init : tensor<13x70xi32>) -> tensor<13x70xi32>
  return %ss, %su, %us, %uu
      : tensor<13x70xi32>, tensor<13x70xi32>, tensor<13x70xi32>, tensor<13x70xi32>
}
