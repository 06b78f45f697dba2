// A choice that is there stays: a small tile, though neither side is thin.
// CHOOSE:     tensor<64x96xf32>
// CHOOSE:     linalg.generic {{.*}}lh.choice = #dlti.map<"strategy" = "simt", "rule" = "mine", {{.*}}lh.kernel = "simt"
//
// TILE:       scf.forall (%{{.*}}, %{{.*}}) in (2, 2)
// TILE:       lh.threads = #dlti.map<"left_rows" = 32
//
// MAP-LABEL:  func.func @main
// MAP:        gpu.launch
// MAP-NOT:    linalg.generic
func.func @main(%a: tensor<40x37xf32>, %b: tensor<37x50xf32>)
    -> tensor<40x50xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<40x50xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<40x50xf32>)
      -> tensor<40x50xf32>
  %product = linalg.matmul {lh.choice = #dlti.map<
      "strategy" = "simt", "rule" = "mine", "rows" = 32, "columns" = 32, "sum" = 32,
      "rounds" = 3, "threads" = #dlti.map<"left_rows" = 32, "left_columns" = 8,
          "right_rows" = 32, "right_columns" = 8, "resident" = 0>>}
      ins(%a, %b : tensor<40x37xf32>, tensor<37x50xf32>)
      outs(%zeros : tensor<40x50xf32>) -> tensor<40x50xf32>
  return %product : tensor<40x50xf32>
}
