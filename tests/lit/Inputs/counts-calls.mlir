// A product as in matmul.mlir in its first call; one more in each later call.
llvm.mlir.global internal @calls(0.0 : f32) : f32
func.func @main(%a: tensor<5x7xf32>, %b: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %one = arith.constant 1.0 : f32
  %calls = llvm.mlir.addressof @calls : !llvm.ptr
  %before = llvm.load %calls : !llvm.ptr -> f32
  %now = arith.addf %before, %one : f32
  llvm.store %now, %calls : f32, !llvm.ptr
  %empty = tensor.empty() : tensor<5x3xf32>
  %fill = linalg.fill ins(%before : f32) outs(%empty : tensor<5x3xf32>)
    -> tensor<5x3xf32>
  %c = linalg.matmul ins(%a, %b : tensor<5x7xf32>, tensor<7x3xf32>)
    outs(%fill : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %c : tensor<5x3xf32>
}
