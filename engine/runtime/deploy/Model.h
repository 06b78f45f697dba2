// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a built library knows of its model: constants that lh-run writes
// (engine/runtime/deploy/ModelObject.cpp) and the files here read.
#ifndef LH_RUNTIME_DEPLOY_MODEL_H
#define LH_RUNTIME_DEPLOY_MODEL_H

#include "runtime/deploy/lighthouse.h"

/* Changes with every change of the structures below. */
#define LH_MODEL_VERSION 2

struct LhModelTensor {
  const char *name;
  int32_t type, rank;
  int64_t shape[LH_MAX_RANK];         /* -1: open */
  const char *dimension[LH_MAX_RANK]; /* its name, or null; equal names have
                                         equal sizes */
};

/* Where the bytes of an argument come from; `index` counts within its kind. */
enum LhRole { LH_ROLE_INPUT, LH_ROLE_WEIGHT, LH_ROLE_PREPARED };

struct LhModelArgument {
  int32_t role, index;
};

struct LhModelFunction {
  void (*packed)(void **descriptors);
  const struct LhModelArgument *arguments;
  const struct LhModelTensor *results;
  int32_t argumentCount, resultCount;
  int32_t returnsResults; /* in memory that it allocates; else the caller's */
};

struct LhModelWeight {
  struct LhModelTensor tensor;
  const void *bytes; /* null: at `offset` in the file of weights */
  uint64_t offset;
};

#define LH_WEIGHTS_MAGIC "LHWEIGHT"

// How a file of weights begins; the first weight is at byte 64.
struct LhWeightsHeader {
  char magic[8];
  uint64_t bytes; /* of the whole file */
  uint64_t hash;  /* of what follows the header */
};

enum LhVendor { LH_NVIDIA, LH_AMD };
struct LhDevice; /* deploy/internal.h */

/* The GPUs that the code's kernels are for. */
struct LhModelDevice {
  /* Opens the first that fits, or finds it open, and enters it: LH_OK, or why
     not. */
  int (*open)(const struct LhModelDevice *device, struct LhDevice **opened);
  void (*setUp)(void **none); /* once, before other code: loads the kernels */
  const char *chip;           /* "sm_90", "gfx942" */
  int32_t vendor;
  int32_t leastCapability, mostCapability; /* of NVIDIA's, times ten */
  int32_t leastDriver;                     /* as the driver counts */
};

struct LhModel {
  uint32_t version;
  const char *name, *description;
  const struct LhModelTensor *inputs;
  int32_t inputCount, weightCount;
  const struct LhModelWeight *weights;
  struct LhModelFunction entry;
  const struct LhModelFunction *prepare; /* null: there is none */
  /* The file of weights beside the library; null: they are embedded. */
  const char *weightsFile;
  struct LhWeightsHeader weightsHeader; /* that the file begins with */
  /* What the code needs of the CPU (CpuFeatures.def); null ends them. */
  const char *const *features;
  int64_t leastVectorBits, mostVectorBits; /* of scalable vectors; 0: any */
  const struct LhModelDevice *device;      /* null: all runs on the CPU */
  struct LhModelState *state; /* LH_MODEL_STATE zeros to begin with */
};

#define LH_MODEL_STATE 256 /* bytes */

#endif /* LH_RUNTIME_DEPLOY_MODEL_H */
