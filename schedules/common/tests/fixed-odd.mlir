// Sizes that fill no tile, and a start that isn't zero.
// CHECK-LABEL: func.func @main
// CHECK:       scf.for
// CHECK:       linalg.matmul {lh.choice = #dlti.map<"strategy" = "fixed", "rule" = "fixed_products", "rows" = 64 : i64, "columns" = 64 : i64, "sum" = 64 : i64>} ins(%{{.*}}, %{{.*}} : tensor<64x64xf32>, tensor<64x64xf32>) outs(%{{.*}} : tensor<64x64xf32>)
// CHECK-NOT:   linalg.matmul
// CHECK-NOT:   linalg.pack
func.func @main(%a: tensor<33x65xf32>, %b: tensor<65x129xf32>, %c: tensor<33x129xf32>)
    -> tensor<33x129xf32> {
  %product = linalg.matmul ins(%a, %b : tensor<33x65xf32>, tensor<65x129xf32>)
      outs(%c : tensor<33x129xf32>) -> tensor<33x129xf32>
  return %product : tensor<33x129xf32>
}
