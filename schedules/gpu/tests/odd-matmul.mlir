// A launch for each op, with as many blocks as sizes that don't come out even
// need; the bias is a constant, which the kernel gets a copy of.
// CHECK-LABEL: func.func @main
// CHECK:       gpu.launch
// CHECK-NOT:   scf.parallel
// NVVM:        gpu.module @main_kernel
// NVVM:        llvm.func @main_kernel({{.*}}gpu.kernel
// NVVM:        nvvm.read.ptx.sreg.ctaid.x
// ROCDL:       llvm.func @main_kernel({{.*}}gpu.kernel
// ROCDL:       rocdl.workgroup.id.x
// XEVM:        llvm.func spir_kernelcc @main_kernel({{.*}}gpu.kernel{{.*}}intel_reqd_sub_group_size = {{16|8}}
// XEVM:        llvm.call spir_funccc @_Z12get_group_idj
// VULKAN:      llvm.call @lh_device_address
// VULKAN:      spirv.module @__spv__main_kernel PhysicalStorageBuffer64 GLSL450
// VULKAN:      spirv.GlobalVariable @main_kernel_arguments bind(0, 0)
// VULKAN:      spirv.ConvertUToPtr {{.*}} to !spirv.ptr<f32, PhysicalStorageBuffer>
// VULKAN:      spirv.EntryPoint "GLCompute" @main_kernel
func.func @main(%a: tensor<5x19xf32>, %b: tensor<19x11xf32>) -> tensor<5x11xf32> {
  %zero = arith.constant 0.0 : f32
  %bias = arith.constant dense<[1.0, -2.0, 3.0, 0.5, 0.25, 7.0, -8.0, 9.0, 1.5, 2.5, -0.125]> : tensor<11xf32>
  %out = tensor.empty() : tensor<5x11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%out : tensor<5x11xf32>)
      -> tensor<5x11xf32>
  %product = linalg.matmul ins(%a, %b : tensor<5x19xf32>, tensor<19x11xf32>)
                           outs(%init : tensor<5x11xf32>) -> tensor<5x11xf32>
  %sum = linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>,
                       affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%product, %bias : tensor<5x11xf32>, tensor<11xf32>)
      outs(%out : tensor<5x11xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<5x11xf32>
  return %sum : tensor<5x11xf32>
}
