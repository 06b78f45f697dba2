// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes text by words and lines, so that much of it still parses.
#ifndef LH_TESTS_FUZZ_TEXTMUTATOR_H
#define LH_TESTS_FUZZ_TEXTMUTATOR_H

#include <cstddef>
#include <cstdint>

namespace lh::fuzz {

/// What libFuzzer asks of a custom mutator: the new size.
size_t mutateText(uint8_t *data, size_t size, size_t maxSize, unsigned seed);

} // namespace lh::fuzz

#endif // LH_TESTS_FUZZ_TEXTMUTATOR_H
