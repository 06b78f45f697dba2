/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* CUDA's driver and HIP's runtime, found by name when a library is used. */
#ifndef LH_DEPLOY_GPU_H
#define LH_DEPLOY_GPU_H

#include "internal.h"

/* Functions of either; each yields 0 or the driver's error. */
struct GpuFunctions {
  int (*init)(unsigned);
  int (*version)(int *);
  int (*deviceCount)(int *);
  int (*deviceName)(char *, int, int);
  int (*load)(void **, const void *);
  int (*unload)(void *);
  int (*find)(void **, void *, const char *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, unsigned, void *, void **, void **);
  int (*createStream)(void **, unsigned);
  int (*synchronize)(void *);
  int (*allocate)(void **, size_t, unsigned); /* the host sees it, too */
  int (*release)(void *);
  int (*prefetch)(const void *, size_t, int, void *); /* or null */
  int (*fill16)(void *, unsigned short, size_t, void *);
  int (*fill32)(void *, unsigned, size_t, void *);
  /* CUDA's alone. */
  int (*device)(int *, int);
  int (*attribute)(int *, int, int);
  int (*retainContext)(void **, int);
  int (*setContext)(void *);
  int (*setFunctionAttribute)(void *, int, int);
  int (*launchEx)(const void *, void *, void **, void **);
  int (*cudaCopy)(void *, const void *, size_t, void *);
  int (*cudaErrorName)(int, const char **);
  int (*encode)(void *, int, uint32_t, void *, const uint64_t *,
                const uint64_t *, const uint32_t *, const uint32_t *, int, int,
                int, int);
  /* HIP's alone. */
  int (*setDevice)(int);
  int (*properties)(void *, int);
  int (*hipCopy)(void *, const void *, size_t, int, void *);
  const char *(*hipErrorName)(int);
};

struct TensorMap; /* gpucalls.c */

struct Gpu {
  struct LhDevice device; /* first: the one is known by the other */
  struct GpuFunctions driver;
  int32_t vendor;
  int number;
  void *context, *stream;
  char description[300]; /* "NVIDIA H200" */
  pthread_mutex_t lock;  /* of what follows */
  struct TensorMap *maps;
};

/* Opens the library of the vendor's driver and fills in the functions; LH_OK,
   or LH_NO_DEVICE. */
int lh_bind_driver(struct Gpu *gpu);

/* Writes the text for the driver's error of what was being done; the status
   that goes with it. */
int lh_gpu_failed(const struct Gpu *gpu, const char *doing, int error);

/* This thread has told the device to do something, and must wait for it. */
void lh_gpu_busy(void);

#endif /* LH_DEPLOY_GPU_H */
