// As triton-shared prints the kernel x + y in blocks of 32 (--triton-to-linalg):
// pointers are unranked memrefs; at the end the grid's sizes and the program's
// place in it.
func.func private @add_kernel(%x: memref<*xf32>, %y: memref<*xf32>, %out: memref<*xf32>, %n: i32,
                      %gx: i32, %gy: i32, %gz: i32, %px: i32, %py: i32, %pz: i32) {
  %c32 = arith.constant 32 : index
  %c32_i32 = arith.constant 32 : i32
  %zero = arith.constant 0.0 : f32
  %start = arith.muli %px, %c32_i32 : i32
  %first = arith.index_cast %start : i32 to index
  %end = arith.addi %first, %c32 : index
  %size = arith.index_cast %n : i32 to index
  %stop = arith.minsi %end, %size : index
  %count = arith.subi %stop, %first : index
  %xp = memref.reinterpret_cast %x to offset: [%first], sizes: [32], strides: [1] : memref<*xf32> to memref<32xf32, strided<[1], offset: ?>>
  %xa = memref.alloc() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%xa : memref<32xf32>)
  %xs = memref.subview %xp[0] [%count] [1] : memref<32xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  %xd = memref.subview %xa[0] [%count] [1] : memref<32xf32> to memref<?xf32, strided<[1]>>
  memref.copy %xs, %xd : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>>
  %xt = bufferization.to_tensor %xa restrict writable : memref<32xf32> to tensor<32xf32>
  %yp = memref.reinterpret_cast %y to offset: [%first], sizes: [32], strides: [1] : memref<*xf32> to memref<32xf32, strided<[1], offset: ?>>
  %ya = memref.alloc() : memref<32xf32>
  linalg.fill ins(%zero : f32) outs(%ya : memref<32xf32>)
  %ys = memref.subview %yp[0] [%count] [1] : memref<32xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  %yd = memref.subview %ya[0] [%count] [1] : memref<32xf32> to memref<?xf32, strided<[1]>>
  memref.copy %ys, %yd : memref<?xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1]>>
  %yt = bufferization.to_tensor %ya restrict writable : memref<32xf32> to tensor<32xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%xt, %yt : tensor<32xf32>, tensor<32xf32>) outs(%xt : tensor<32xf32>) {
  ^bb0(%a: f32, %b: f32, %unused: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<32xf32>
  %op = memref.reinterpret_cast %out to offset: [%first], sizes: [32], strides: [1] : memref<*xf32> to memref<32xf32, strided<[1], offset: ?>>
  %part = tensor.extract_slice %sum[0] [%count] [1] : tensor<32xf32> to tensor<?xf32>
  %od = memref.subview %op[0] [%count] [1] : memref<32xf32, strided<[1], offset: ?>> to memref<?xf32, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %part in writable %od : (tensor<?xf32>, memref<?xf32, strided<[1], offset: ?>>) -> ()
  return
}
// The grid, which Triton's runtime would launch: a loop.
func.func @main(%x: tensor<100xf32>, %y: tensor<100xf32>) -> tensor<100xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %grid = arith.constant 4 : i32
  %n = arith.constant 100 : i32
  %xb = bufferization.to_buffer %x read_only : tensor<100xf32> to memref<100xf32>
  %yb = bufferization.to_buffer %y read_only : tensor<100xf32> to memref<100xf32>
  %out = memref.alloc() : memref<100xf32>
  %xp = memref.cast %xb : memref<100xf32> to memref<*xf32>
  %yp = memref.cast %yb : memref<100xf32> to memref<*xf32>
  %op = memref.cast %out : memref<100xf32> to memref<*xf32>
  scf.for %p = %c0 to %grid step %c1 : i32 {
    func.call @add_kernel(%xp, %yp, %op, %n, %grid, %c1, %c1, %p, %c0, %c0)
        : (memref<*xf32>, memref<*xf32>, memref<*xf32>, i32, i32, i32, i32, i32, i32, i32) -> ()
  }
  %result = bufferization.to_tensor %out restrict : memref<100xf32> to tensor<100xf32>
  return %result : tensor<100xf32>
}
