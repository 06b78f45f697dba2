// Remainders of every type that has them.
// VULKAN-COUNT-3: spirv.mlir.loop
func.func @main(%a: tensor<37xf64>, %b: tensor<37xf64>, %c: tensor<29xf16>,
    %d: tensor<29xf16>, %e: tensor<31xbf16>, %f: tensor<31xbf16>)
    -> (tensor<37xf64>, tensor<29xf16>, tensor<31xbf16>) {
  %wide = tensor.empty() : tensor<37xf64>
  %half = tensor.empty() : tensor<29xf16>
  %brain = tensor.empty() : tensor<31xbf16>
  %r0 = linalg.map { arith.remf } ins(%a, %b : tensor<37xf64>, tensor<37xf64>)
      outs(%wide : tensor<37xf64>)
  %r1 = linalg.map { arith.remf } ins(%c, %d : tensor<29xf16>, tensor<29xf16>)
      outs(%half : tensor<29xf16>)
  %r2 = linalg.map { arith.remf } ins(%e, %f : tensor<31xbf16>, tensor<31xbf16>)
      outs(%brain : tensor<31xbf16>)
  return %r0, %r1, %r2 : tensor<37xf64>, tensor<29xf16>, tensor<31xbf16>
}
