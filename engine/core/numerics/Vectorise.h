// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops for the widest vectors that the machine has.
#ifndef LH_CORE_NUMERICS_VECTORISE_H
#define LH_CORE_NUMERICS_VECTORISE_H

namespace lh {

#if defined(__x86_64__)

/// Each holds a copy of `work`, compiled for the named extensions. By value:
/// what a lambda captures must be seen not to change in its loops.
template <typename Work>
[[gnu::target("avx512f,avx512dq,avx512bw,avx512vl,avx2,bmi,bmi2,lzcnt"),
  gnu::flatten]] void
runWithAvx512(Work work) {
  work();
}

template <typename Work>
[[gnu::target("avx2,bmi,bmi2,lzcnt"), gnu::flatten]] void
runWithAvx2(Work work) {
  work();
}

/// Runs `work`, a lambda over plain loops whose callees can be inlined. The
/// file that calls this is compiled with -fopenmp-simd and without contraction
/// of products into sums: results don't depend on the machine but for the
/// order of sums.
template <typename Work> void vectorised(Work work) {
  if (__builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    return runWithAvx512(work);
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
    return runWithAvx2(work);
  work();
}

#else

/// Elsewhere the compiler's default has vectors.
template <typename Work> void vectorised(Work work) { work(); }

#endif

} // namespace lh

#endif // LH_CORE_NUMERICS_VECTORISE_H
