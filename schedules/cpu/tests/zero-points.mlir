// Unsigned bytes on both sides, less zero points: those on the right are moved
// down by 128. What the zero points add is taken off after the product.
// WORDS-LABEL: func.func @main
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<14x8xi32>, tensor<8x33xi32>) {{.*}}lh.product
// WORDS:       linalg.generic {{.*}} ins({{.*}} : tensor<14x33xi32>, tensor<33xi32>, tensor<14xi32>)
// DOTS-LABEL: func.func @main
// DOTS:       llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"
#id = affine_map<(i, j) -> (i, j)>
func.func @main(%a: tensor<14x32xi8>, %b: tensor<32x33xi8>, %p: tensor<1xi8>,
                %q: tensor<1xi8>) -> tensor<14x33xi32> {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %left = tensor.extract %p[%c0] : tensor<1xi8>
  %right = tensor.extract %q[%c0] : tensor<1xi8>
  %a.out = tensor.empty() : tensor<14x32xi32>
  %a.centred = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<14x32xi8>) outs(%a.out : tensor<14x32xi32>) {
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extui %x : i8 to i32
    %point = arith.extui %left : i8 to i32
    %y = arith.subi %wide, %point : i32
    linalg.yield %y : i32
  } -> tensor<14x32xi32>
  %b.out = tensor.empty() : tensor<32x33xi32>
  %b.centred = linalg.generic {indexing_maps = [#id, #id],
      iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<32x33xi8>) outs(%b.out : tensor<32x33xi32>) {
  ^bb0(%x: i8, %old: i32):
    %wide = arith.extui %x : i8 to i32
    %point = arith.extui %right : i8 to i32
    %y = arith.subi %wide, %point : i32
    linalg.yield %y : i32
  } -> tensor<32x33xi32>
  %out = tensor.empty() : tensor<14x33xi32>
  %init = linalg.fill ins(%zero : i32) outs(%out : tensor<14x33xi32>)
      -> tensor<14x33xi32>
  %product = linalg.matmul
      ins(%a.centred, %b.centred : tensor<14x32xi32>, tensor<32x33xi32>)
      outs(%init : tensor<14x33xi32>) -> tensor<14x33xi32>
  return %product : tensor<14x33xi32>
}
