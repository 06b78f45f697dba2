// Three rows, four numbers in a byte: rows one after the other.
// UNPACK-LABEL: func.func @main
// UNPACK-NOT:   linalg.generic
// UNPACK:       scf.forall
// UNPACK:         scf.for {{.*}} %c3 {{.*}} iter_args
// UNPACK:         scf.for {{.*}} %c5 {{.*}} iter_args({{.*}}) -> (vector<[[LANES:[0-9]+]]xf32>, vector<[[LANES]]xf32>, vector<[[LANES]]xf32>, vector<[[LANES]]xf32>)
// UNPACK:           scf.for {{.*}} %c4 {{.*}} iter_args
// UNPACK-COUNT-16:     arith.sitofp {{.*}} to vector<[[LANES]]xf32>
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
    %a: tensor<3x5x4x4xf32>,
    %bytes: tensor<192x5x4xi8>,
    %scale: tensor<192x5xf32>,
    %zero: tensor<192x5xf32>) -> tensor<3x192xf32> {
  %e = tensor.empty() : tensor<192x5x4x4xf32>
  %real = linalg.generic {indexing_maps = [#bytes, #scaled, #scaled, #real],
      iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%bytes, %scale, %zero
          : tensor<192x5x4xi8>, tensor<192x5xf32>, tensor<192x5xf32>)
      outs(%e : tensor<192x5x4x4xf32>) {
  ^bb0(%byte: i8, %s: f32, %z: f32, %out: f32):
    %bits = arith.constant 2 : i32
    %mask = arith.constant 3 : i32
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
  } -> tensor<192x5x4x4xf32>
  %null = arith.constant 0.0 : f32
  %f = tensor.empty() : tensor<3x192xf32>
  %start = linalg.fill ins(%null : f32) outs(%f : tensor<3x192xf32>)
      -> tensor<3x192xf32>
  %sums = linalg.generic {indexing_maps = [#a, #w, #c],
      iterator_types = ["parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a, %real : tensor<3x5x4x4xf32>, tensor<192x5x4x4xf32>)
      outs(%start : tensor<3x192xf32>) {
  ^bb0(%x: f32, %y: f32, %sum: f32):
    %product = arith.mulf %x, %y : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<3x192xf32>
  return %sums : tensor<3x192xf32>
}
