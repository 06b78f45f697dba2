// Columns that fill no panel: the weights are unpacked in @prepare.
// UNPACK-LABEL: func.func @main
// UNPACK:       linalg.generic
// UNPACK:       linalg.generic
// UNPACK-NOT:   scf.
#scaled = affine_map<(n, b, j, p) -> (n, b)>
#bytes = affine_map<(n, b, j, p) -> (n, b, j)>
#real = affine_map<(n, b, j, p) -> (n, b, j, p)>
#a = affine_map<(m, n, b, j, p) -> (m, b, j, p)>
#w = affine_map<(m, n, b, j, p) -> (n, b, j, p)>
#c = affine_map<(m, n, b, j, p) -> (m, n)>
func.func @main(
    %a: tensor<2x2x16x1xf32>,
    %bytes: tensor<37x2x16xi8>,
    %scale: tensor<37x2xf32>,
    %zero: tensor<37x2xf32>) -> tensor<2x37xf32> {
  %e = tensor.empty() : tensor<37x2x16x1xf32>
  %real = linalg.generic {indexing_maps = [#bytes, #scaled, #scaled, #real],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bytes, %scale, %zero
          : tensor<37x2x16xi8>, tensor<37x2xf32>, tensor<37x2xf32>)
      outs(%e : tensor<37x2x16x1xf32>) {
  ^bb0(%byte: i8, %s: f32, %z: f32, %out: f32):
    %bits = arith.constant 8 : i32
    %mask = arith.constant 255 : i32
    %place = linalg.index 3 : index
    %p = arith.index_cast %place : index to i32
    %distance = arith.muli %p, %bits : i32
    %wide = arith.extui %byte : i8 to i32
    %shifted = arith.shrui %wide, %distance : i32
    %integer = arith.andi %shifted, %mask : i32
    %number = arith.sitofp %integer : i32 to f32
    %centred = arith.subf %number, %z : f32
    %weight = arith.mulf %centred, %s : f32
    linalg.yield %weight : f32
  } -> tensor<37x2x16x1xf32>
  %null = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<2x37xf32>
  %start = linalg.fill ins(%null : f32) outs(%f : tensor<2x37xf32>)
      -> tensor<2x37xf32>
  %sums = linalg.generic {indexing_maps = [#a, #w, #c],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %real : tensor<2x2x16x1xf32>, tensor<37x2x16x1xf32>)
      outs(%start : tensor<2x37xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<2x37xf32>
  return %sums : tensor<2x37xf32>
}
