// A tensor that grows in a loop, as ONNX loops do: what each turn allocates is
// freed.
// CHECK-LABEL: func.func @main
// CHECK:       scf.for
// CHECK:         memref.alloc
// CHECK:         scf.yield
// CHECK:       memref.dealloc
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %first = arith.constant 0 : index
  %step = arith.constant 1 : index
  %last = arith.constant 3 : index
  %grown = scf.for %i = %first to %last step %step
      iter_args(%so_far = %a) -> tensor<?xf32> {
    %longer = tensor.concat dim(0) %so_far, %a
        : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    scf.yield %longer : tensor<?xf32>
  }
  return %grown : tensor<?xf32>
}
