// Kind: slow code
// Fault: No x86vector op makes `vpdpbusd`, the dot product of four unsigned and four signed bytes that CPUs with AVX512_VNNI or AVX_VNNI have. The pattern for `vector.contract` takes bf16 with 16 columns, and signed bytes with 8 (`vpdpbssd`, an instruction of AVX_VNNI_INT8 alone); products of bytes with 16 columns stay a contraction, which is lowered to widened multiplications.
// Expected: One instruction for 64 products of bytes.
// Ours: `lh-pack-words`, `lh-lower-words`
// Change: An op `x86vector.avx512.dot.i8` on `vector<16xi32>`, `vector<64xi8>`, `vector<64xi8>` in `mlir/include/mlir/Dialect/X86Vector/X86Vector.td` that becomes the intrinsic `llvm.x86.avx512.vpdpbusd.512`, and a case for it in the pattern in `mlir/lib/Dialect/X86Vector/Transforms/VectorContractToPackedTypeDotProduct.cpp`. The left operand is unsigned; the pattern has to see an `arith.extui` there, or add 128 to a signed one and subtract 128 times the sum of each column.
// Upstream: No report known
//
// RUN: mlir-opt %s -transform-interpreter | FileCheck %s

#a = affine_map<(m, n, k, p) -> (m, k, p)>
#b = affine_map<(m, n, k, p) -> (k, n, p)>
#c = affine_map<(m, n, k, p) -> (m, n)>
module attributes {transform.with_named_sequence} {
  // CHECK-LABEL: func.func @bf16_by_16
  //       CHECK:   x86vector.avx512.dot
  func.func @bf16_by_16(%a: vector<1x1x2xbf16>, %b: vector<1x16x2xbf16>, %sum: vector<1x16xf32>) -> vector<1x16xf32> {
    %t = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        %a, %b, %sum : vector<1x1x2xbf16>, vector<1x16x2xbf16> into vector<1x16xf32>
    return %t : vector<1x16xf32>
  }

  // CHECK-LABEL: func.func @bytes_by_8
  //       CHECK:   x86vector.avx.dot.i8
  func.func @bytes_by_8(%a: vector<1x1x4xi8>, %b: vector<1x8x4xi8>, %sum: vector<1x8xi32>) -> vector<1x8xi32> {
    %t = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        %a, %b, %sum : vector<1x1x4xi8>, vector<1x8x4xi8> into vector<1x8xi32>
    return %t : vector<1x8xi32>
  }

  // CHECK-LABEL: func.func @bytes_by_16
  //   CHECK-NOT:   x86vector
  //       CHECK:   vector.contract
  func.func @bytes_by_16(%a: vector<1x1x4xi8>, %b: vector<1x16x4xi8>, %sum: vector<1x16xi32>) -> vector<1x16xi32> {
    %t = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        %a, %b, %sum : vector<1x1x4xi8>, vector<1x16x4xi8> into vector<1x16xi32>
    return %t : vector<1x16xi32>
  }

  // More than one row of results is taken by neither.
  // CHECK-LABEL: func.func @bf16_of_2_rows
  //   CHECK-NOT:   x86vector
  //       CHECK:   vector.contract
  func.func @bf16_of_2_rows(%a: vector<2x1x2xbf16>, %b: vector<1x16x2xbf16>, %sum: vector<2x16xf32>) -> vector<2x16xf32> {
    %t = vector.contract {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
        %a, %b, %sum : vector<2x1x2xbf16>, vector<1x16x2xbf16> into vector<2x16xf32>
    return %t : vector<2x16xf32>
  }

  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %f = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %f {
      transform.apply_patterns.x86vector.vector_contract_to_packed_type_dot_product
    } : !transform.any_op
    transform.yield
  }
}
