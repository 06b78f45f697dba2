// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What memory holds that nobody has written.
#ifndef LH_RUNTIME_ABI_POISON_H
#define LH_RUNTIME_ABI_POISON_H

#include <cstddef>

namespace lh {

/// Two fillings: a result that depends on memory which was never written is
/// not the same under both. Both are of the numbers in runner/memory.c.
enum class Poison {
  /// The words 0x7FF9: a NaN of f16, bf16, f32 and f64, a large integer, a
  /// boolean that is true. Arithmetic keeps it.
  NotANumber,
  /// Words of 0 and of large floats, which are large integers of either sign
  /// and a false boolean: what a comparison or a maximum makes of a NaN, it
  /// doesn't make of these.
  Numbers
};

/// The byte `i` of memory so filled.
std::byte poisonAt(Poison poison, size_t i);
void fillWithPoison(std::byte *bytes, size_t size, Poison poison);

} // namespace lh

#endif // LH_RUNTIME_ABI_POISON_H
