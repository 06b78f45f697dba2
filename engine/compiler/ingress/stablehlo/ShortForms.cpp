// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of short forms.
#include "compiler/ingress/stablehlo/ShortForms.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace lh;

namespace {
struct ShortForm {
  StringRef ops; ///< separated by spaces, without their dialect
  StringRef form;
};
} // namespace

static constexpr ShortForm stablehloForms[] = {
    {"abs cbrt ceil convert cosine count_leading_zeros exponential "
     "exponential_minus_one floor imag is_finite log log_plus_one logistic not "
     "negate popcnt real round_nearest_afz round_nearest_even rsqrt sign sine "
     "sqrt tan tanh add atan2 divide maximum minimum multiply power remainder "
     "shift_left shift_right_arithmetic shift_right_logical subtract and or "
     "xor clamp after_all uniform_quantize uniform_dequantize "
     "optimization_barrier dynamic_update_slice bitcast_convert reshape "
     "dynamic_reshape real_dynamic_slice dynamic_pad return",
     "$* attrs same"},
    {"create_token replica_id partition_id", "attrs results"},
    {"complex", "$* attrs complex"},
    {"select", "$* attrs select"},
    {"tuple", "$* attrs tuple"},
    {"get_tuple_element", "$ [ index:i64 ] attrs ft"},
    {"iota", "dim = iota_dimension:i64 attrs results"},
    {"dynamic_iota", "$ , dim = iota_dimension:i64 attrs ft"},
    {"compare",
     "comparison_direction:word , $ , $ ?, compare_type:word attrs ft"},
    {"broadcast", "$ , sizes = broadcast_sizes:list attrs ft"},
    {"broadcast_in_dim", "$ , dims = broadcast_dimensions:list attrs ft"},
    {"dynamic_broadcast_in_dim",
     "$ , $ , dims = broadcast_dimensions:list attrs ft"},
    {"dynamic_slice", "$, sizes = slice_sizes:list attrs ft"},
    {"concatenate", "$, dim = dimension:i64 attrs ft"},
    {"cholesky", "$ ?, lower = lower:bool attrs same"},
    {"get_dimension_size", "$ , dim = dimension:i64 attrs ft"},
    {"set_dimension_size", "$ , $ , dim = dimension:i64 attrs ft"},
    {"reverse", "$ , dims = dimensions:list attrs same"},
    {"transpose", "$ , dims = permutation:list attrs ft"},
    {"pad", "$ , $ , low = edge_padding_low:list , high = "
            "edge_padding_high:list , interior = interior_padding:list attrs "
            "ft"},
    {"fft", "$ , type = fft_type:word , length = fft_length:list attrs ft"},
    {"rng", "$ , $ , $ , distribution = rng_distribution:word attrs ft"},
    {"rng_bit_generator", "$ , algorithm = rng_algorithm:word attrs ft"},
    {"einsum", "$ , $ , config = einsum_config:any attrs ft"},
    {"custom_call", "call_target_name:symbol ( $* ) attrs ft"},
    {"composite", "name:any $* attrs ft"},
    {"slice", "$ <slice> attrs ft"},
    {"dot", "$ , $ <precision> attrs ft"},
    {"dot_general", "$ , $ , <dot-dimensions> <precision> attrs ft"},
    {"reduce_precision", "$ , format = <exponent-mantissa> attrs same"},
    {"convolution",
     "( $* ) dim_numbers = <convolution-dimensions> , window = { <window> } "
     "attrs ft"},
};

static constexpr ShortForm chloForms[] = {
    {"acos acosh asin asinh atan atanh bessel_i1e conj cosh digamma erf "
     "erf_inv erfc lgamma next_after polygamma sinh square tan zeta is_inf "
     "is_neg_inf is_pos_inf mulhi asin_acos_kernel",
     "$* attrs same"},
};

static llvm::StringMap<StringRef> makeShortForms() {
  llvm::StringMap<StringRef> table;
  auto add = [&](StringRef dialect, ArrayRef<ShortForm> forms) {
    for (const ShortForm &form : forms)
      for (StringRef op : llvm::split(form.ops, ' '))
        table[(dialect + "." + op).str()] = form.form;
  };
  add("stablehlo", stablehloForms);
  add("chlo", chloForms);
  return table;
}

StringRef lh::shortFormOf(StringRef op) {
  static const llvm::StringMap<StringRef> table = makeShortForms();
  return table.lookup(op);
}
