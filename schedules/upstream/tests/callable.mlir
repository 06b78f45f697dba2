// Results are returned, arguments aren't written to, and C can call it.
// CHECK: func.func @main(%{{.*}}: memref<5x3xf32>{{.*}}) -> (memref<5x3xf32>
// CHECK-SAME: llvm.emit_c_interface
// CHECK: memref.alloc
func.func @main(%x: tensor<5x3xf32>) -> (tensor<5x3xf32> {lh.name = "y"}) {
  %0 = linalg.exp ins(%x : tensor<5x3xf32>) outs(%x : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
