// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lh-run and a runner share: one piece of memory that holds a job, the
// tensors it works on, and its outcome. Plain C, for both sides; little-endian;
// offsets from the start of the memory instead of pointers.
#ifndef LH_RUNTIME_EMULATED_JOB_H
#define LH_RUNTIME_EMULATED_JOB_H

#include <stdint.h>

/* Changes with every change of the structures below. */
#define LH_JOB_VERSION 0x6c682d6a6f620005ULL
#define LH_JOB_TEXT 512

/* Where the bytes of a tensor are. */
enum LhPlace {
  LH_IN_JOB,   /* at `offset` in the job's memory */
  LH_IN_FILE,  /* at `offset` in the file whose path stands at `path` */
  LH_PREPARED, /* the result `offset` of the job's `prepare` */
  LH_RETURNED  /* the code allocates them: results only */
};

struct LhTensor {
  uint64_t place, offset, path;
  uint64_t elementBytes, rank;
  uint64_t type;  /* an lh_type (runtime/deploy/lighthouse.h) */
  uint64_t sizes; /* offset of int64_t[rank] */
};

/* One packed entry with what it takes and gives. */
struct LhCall {
  uint64_t name; /* offset of the symbol's name */
  uint64_t arguments, argumentCount;
  uint64_t results, resultCount;
};

/* How far the runner came; it says so before it begins with each. */
enum LhState { LH_STARTED, LH_LOADING, LH_PREPARING, LH_CALLING, LH_DONE };

/* Why it stopped before LH_DONE. */
enum LhProblem {
  LH_NO_PROBLEM,
  LH_CANNOT_LOAD,   /* text: the loader's */
  LH_CANNOT_READ,   /* text: which file, and why */
  LH_VECTOR_LENGTH, /* vectorBits is not what the code is for */
  LH_GAVE_UP,       /* text: the assertion's */
  LH_NO_MEMORY,     /* text: how much was asked for */
  LH_BAD_FREE,
  LH_REFUSED, /* text: of the built library's function that failed */
  LH_SIGNAL   /* signal, symbol, word */
};

struct LhJob {
  uint64_t version, bytes;
  uint64_t library;        /* offset of the shared library's path */
  uint64_t functions;      /* offset of what its functions' names begin with, if
                              it is a built one that is called by them; or 0 */
  uint64_t prepare, entry; /* offsets of LhCall; `prepare` may be 0 */
  uint64_t repeat;         /* timed calls, after one that warms up */
  uint64_t seconds;        /* offset of double[repeat] */
  uint64_t results;        /* descriptor of the file for returned results */
  uint64_t counts; /* descriptor of the memory for BlockCounts.h; 0: none */
  int64_t leastVectorBits, mostVectorBits; /* that the code is for; 0: any */
  uint64_t streaming; /* whether that is the length in streaming mode (SME) */
  uint64_t mostBytes; /* that the code may allocate at a time; 0: any */
  uint64_t poison;    /* what it finds in it: an lh::Poison (cpu/Poison.h) */

  /* The outcome. */
  uint64_t state, problem;
  int64_t vectorBits; /* 0: no scalable vectors */
  uint64_t signal, word, symbolOffset;
  uint64_t peakBytes, leakedBytes, leakedBlocks, freshBlocks;
  uint64_t
      damagedBytes; /* one more than the size of a block that was damaged */
  uint64_t differs; /* the last call gave other bits than the first */
  char symbol[128];
  char text[LH_JOB_TEXT];
};

#endif /* LH_RUNTIME_EMULATED_JOB_H */
