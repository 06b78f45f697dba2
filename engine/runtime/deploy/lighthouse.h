// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all libraries built by `lh-run build` share. Each library's own header
// holds a copy of this file, so that it is complete by itself.
#ifndef LH_RUNTIME_DEPLOY_LIGHTHOUSE_H
#define LH_RUNTIME_DEPLOY_LIGHTHOUSE_H

#include <stddef.h>
#include <stdint.h>

#define LH_MAX_RANK 8

/* Element types. An element of four or two bits takes a byte of its own,
   sign-extended where the type has a sign; a bool is a byte that is 0 or 1. */
enum lh_type {
  LH_BOOL,
  LH_INT8,
  LH_INT16,
  LH_INT32,
  LH_INT64,
  LH_UINT8,
  LH_UINT16,
  LH_UINT32,
  LH_UINT64,
  LH_FLOAT16,
  LH_BFLOAT16,
  LH_FLOAT32,
  LH_FLOAT64,
  LH_FLOAT8E4M3FN,
  LH_FLOAT8E4M3FNUZ,
  LH_FLOAT8E5M2,
  LH_FLOAT8E5M2FNUZ,
  LH_FLOAT8E8M0,
  LH_FLOAT4E2M1,
  LH_INT4,
  LH_UINT4,
  LH_INT2,
  LH_UINT2
};

/* A dense row-major array. It stays its owner's. */
struct lh_tensor {
  void *data;
  size_t bytes; /* that there are at `data`: what is needed, or more */
  int32_t type; /* an enum lh_type */
  int32_t rank; /* how many of `shape` count */
  int64_t shape[LH_MAX_RANK];
};

// What functions return. Of all but LH_OK, the library's `error` function has a
// text.
enum lh_status {
  LH_OK,
  LH_INVALID_ARGUMENT, /* the text names it, and what was expected */
  LH_UNSUPPORTED_CPU,  /* the code is for other CPUs than this one */
  LH_OUT_OF_MEMORY,
  LH_BAD_WEIGHTS,  /* the file of weights is absent, or another net's */
  LH_MODEL_FAILED, /* the model gave up on these inputs; the text says why */
  LH_NO_DEVICE     /* there is no GPU that runs the code, or no driver of it */
};

#endif /* LH_RUNTIME_DEPLOY_LIGHTHOUSE_H */
