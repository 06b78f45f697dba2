// What a target or a bubble declares widens the bounds, and only where it
// applies.
// RUN: lh-run apply "lh-error-bounds,canonicalize" %s | FileCheck %s --check-prefix=STRICT
// RUN: lh-run apply "lh-error-bounds{winograd-m=2 winograd-r=3},canonicalize" %s | FileCheck %s --check-prefix=WINOGRAD
// RUN: lh-run apply "lh-error-bounds{winograd-m=2 winograd-r=5},canonicalize" %s | FileCheck %s --check-prefix=STRICT
// RUN: lh-run apply "lh-error-bounds{math-ulp=4},canonicalize" %s | FileCheck %s --check-prefix=ULP
// RUN: lh-run apply "lh-error-bounds{flush-to-zero},canonicalize" %s | FileCheck %s --check-prefix=FLUSH

// The largest error of the tensor is found by a reduction over all of it.
// STRICT-NOT: iterator_types = ["reduction", "reduction", "reduction", "reduction"]
// WINOGRAD: iterator_types = ["reduction", "reduction", "reduction", "reduction"]
// One ULP is twice the unit roundoff; four are eight times it.
// STRICT-NOT: 4.7683715820312{{.*}}E-7 : f64
// ULP-DAG: 4.7683715820312{{.*}}E-7 : f64
// The smallest normal f32: polynomials take what is below for zero.
// ULP-DAG: 1.175494350822{{.*}}E-38 : f64
// STRICT-NOT: 1.175494350822{{.*}}E-38 : f64
// FLUSH: 1.175494350822{{.*}}E-38 : f64
func.func @main(%x: tensor<1x2x6x6xf32>, %w: tensor<2x2x3x3xf32>)
    -> tensor<1x2x4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<1x2x4x4xf32>
  %y = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>,
                                 strides = dense<1> : tensor<2xi64>}
      ins(%x, %w : tensor<1x2x6x6xf32>, tensor<2x2x3x3xf32>)
      outs(%zero : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %z = linalg.exp ins(%y : tensor<1x2x4x4xf32>)
      outs(%zero : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  return %z : tensor<1x2x4x4xf32>
}
