// A remainder is the vendor's device library's: kernels are lowered before
// arith's general lowering, which makes an instruction of it that GPUs lack.
// NVVM:  llvm.call @__nv_fmodf
// ROCDL: llvm.call @__ocml_fmod_f32
// SPIR-V has one.
// XEVM:  llvm.frem
// Vulkan's isn't exact: digits are divided as integers.
// VULKAN:     spirv.UMod
// VULKAN-NOT: spirv.FRem
func.func @main(%a: tensor<37xf32>, %b: tensor<37xf32>) -> tensor<37xf32> {
  %out = tensor.empty() : tensor<37xf32>
  %r = linalg.generic {
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>,
                       affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}
      ins(%a, %b : tensor<37xf32>, tensor<37xf32>)
      outs(%out : tensor<37xf32>) {
  ^bb0(%x: f32, %y: f32, %old: f32):
    %m = arith.remf %x, %y : f32
    linalg.yield %m : f32
  } -> tensor<37xf32>
  return %r : tensor<37xf32>
}
