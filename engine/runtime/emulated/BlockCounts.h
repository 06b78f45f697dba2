// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lh-run, a runner and the emulator's plugin share when instructions are
// counted: memory that says which code is meant and how often each piece of it
// ran. Plain C, for all of them; little-endian.
#ifndef LH_RUNTIME_EMULATED_BLOCKCOUNTS_H
#define LH_RUNTIME_EMULATED_BLOCKCOUNTS_H

#include <stdint.h>

/* Changes with every change of the structures below. */
#define LH_COUNTS_VERSION 0x6c682d6263740001ULL
#define LH_COUNTS_BLOCKS (1u << 16)
#define LH_COUNTS_CODE (1u << 23)

/* Instructions in a row that the emulator translated in one piece. Pieces may
   overlap: one that is jumped into is translated again from there. */
struct LhBlock {
  uint64_t address, bytes;
  uint64_t code;  /* where its bytes begin in `code` */
  uint64_t count; /* how often it ran */
};

struct LhBlockCounts {
  uint64_t version;
  uint64_t begin, end; /* addresses of the code that is meant: the runner's */
  int64_t vectorBits; /* the runner's: of scalable vectors; 0: there are none */
  uint64_t blockCount, codeBytes;
  uint64_t isFull; /* some were not counted, as there was no room */
  struct LhBlock blocks[LH_COUNTS_BLOCKS];
  uint8_t code[LH_COUNTS_CODE];
};

#endif /* LH_RUNTIME_EMULATED_BLOCKCOUNTS_H */
