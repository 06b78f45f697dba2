// Bytes, and matrix units of each sort.
// CHOOSE:     linalg.generic {{.*}}lh.kernel = "{{mma-s8|mfma-s8-k16|mfma-s8-k32|wmma-s8}}"
// 
// TILE-NOT:   func.call
// TILE:       {{amdgpu.mfma|amdgpu.wmma|nvvm.mma.sync}}
// 
// MAP-LABEL:  func.func @main
// MAP:        gpu.launch
// MAP:        {{amdgpu.mfma|amdgpu.wmma|xevm.mma|nvvm.mma.sync}}
//
// BUDGET:     lh.instructions = {{[{].*}} = 1 : i64}
// BUDGET-SAME: lh.kernel_budget.instructions = ""
// BUDGET-SAME: lh.kernel_budget.registers = {{[0-9]+}} : i64
// BUDGET-SAME: lh.kernel_budget.spills = 0 : i64
func.func @main(%a: tensor<67x70xi8>, %b: tensor<70x71xi8>)
    -> tensor<67x71xi32> {
  %zero = arith.constant 0 : i32
  %empty = tensor.empty() : tensor<67x71xi32>
  %zeros = linalg.fill ins(%zero : i32) outs(%empty : tensor<67x71xi32>)
      -> tensor<67x71xi32>
  %product = linalg.matmul
      ins(%a, %b : tensor<67x70xi8>, tensor<70x71xi8>)
      outs(%zeros : tensor<67x71xi32>) -> tensor<67x71xi32>
  return %product : tensor<67x71xi32>
}
