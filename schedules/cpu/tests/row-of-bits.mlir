// One row: a loop over panels, blocks and bytes, that carries the sums of a panel, a
// vector of bytes at a time.
// UNPACK-LABEL: func.func @main
// UNPACK-NOT:   linalg.generic
// UNPACK:       scf.forall
// UNPACK:         scf.for {{.*}} %c3 {{.*}} iter_args({{.*}}) -> (vector<[[LANES:[0-9]+]]xf32>, vector<[[LANES]]xf32>, vector<[[LANES]]xf32>, vector<[[LANES]]xf32>)
// UNPACK:           scf.for {{.*}} %c16 {{.*}} iter_args
// UNPACK-COUNT-8:     arith.sitofp {{.*}} to vector<[[LANES]]xf32>
// UNPACK-NOT:         arith.sitofp
// UNPACK-NOT:         vector.transfer_write
// UNPACK:             scf.yield
// UNPACK-NOT:   linalg.generic
#scaled = affine_map<(n, b, j, p) -> (n, b)>
#bytes = affine_map<(n, b, j, p) -> (n, b, j)>
#real = affine_map<(n, b, j, p) -> (n, b, j, p)>
#a = affine_map<(m, n, b, j, p) -> (m, b, j, p)>
#w = affine_map<(m, n, b, j, p) -> (n, b, j, p)>
#c = affine_map<(m, n, b, j, p) -> (m, n)>
func.func @main(
    %a: tensor<1x3x16x2xf32>,
    %bytes: tensor<256x3x16xi8>,
    %scale: tensor<256x3xf32>,
    %zero: tensor<256x3xf32>) -> tensor<1x256xf32> {
  %e = tensor.empty() : tensor<256x3x16x2xf32>
  %real = linalg.generic {indexing_maps = [#bytes, #scaled, #scaled, #real],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bytes, %scale, %zero
          : tensor<256x3x16xi8>, tensor<256x3xf32>, tensor<256x3xf32>)
      outs(%e : tensor<256x3x16x2xf32>) {
  ^bb0(%byte: i8, %s: f32, %z: f32, %out: f32):
    %bits = arith.constant 4 : i32
    %mask = arith.constant 15 : i32
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
  } -> tensor<256x3x16x2xf32>
  %null = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<1x256xf32>
  %start = linalg.fill ins(%null : f32) outs(%f : tensor<1x256xf32>)
      -> tensor<1x256xf32>
  %sums = linalg.generic {indexing_maps = [#a, #w, #c],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %real : tensor<1x3x16x2xf32>, tensor<256x3x16x2xf32>)
      outs(%start : tensor<1x256xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<1x256xf32>
  return %sums : tensor<1x256xf32>
}
