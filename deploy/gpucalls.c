/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What MLIR's host code calls (mlir/lib/ExecutionEngine/CudaRuntimeWrappers.cpp
   has its list), on the device of the arena that the thread uses. A call that
   fails leaves the code (lh_call). */
#include "gpu.h"

#include <stdlib.h>
#include <string.h>

static struct Gpu *active(void) {
  struct LhArena *arena = lh_used_arena();
  if (!arena || !arena->device)
    lh_leave(lh_fail(LH_MODEL_FAILED, "the code uses a GPU in a thread of its "
                                      "own"));
  return (struct Gpu *)arena->device;
}

static void require(const char *doing, int error) {
  if (error)
    lh_leave(lh_gpu_failed(active(), doing, error));
}

static void requireStatus(int status) {
  if (status != LH_OK)
    lh_leave(status);
}

void *mgpuModuleLoad(const void *image, size_t size) {
  char *text = malloc(size + 1); /* PTX must end with a zero */
  if (!text)
    lh_leave(lh_fail(LH_OUT_OF_MEMORY, "there is no memory"));
  memcpy(text, image, size);
  text[size] = 0;
  void *module = NULL;
  int error = active()->driver.load(&module, text);
  free(text);
  require("loading the kernels", error);
  return module;
}

void *mgpuModuleLoadJIT(const char *image, int level) {
  (void)level;
  return mgpuModuleLoad(image, strlen(image));
}

void mgpuModuleUnload(void *module) { (void)active()->driver.unload(module); }

void *mgpuModuleGetFunction(void *module, const char *name) {
  void *kernel = NULL;
  require("looking for a kernel", active()->driver.find(&kernel, module, name));
  return kernel;
}

/* CUlaunchConfig with its only attribute here, the cluster's size. */
struct Attribute {
  int id;
  char padding[4];
  union {
    unsigned sizes[3];
    char bytes[64];
  };
};
struct Config {
  unsigned grid[3], block[3], sharedBytes;
  void *stream;
  struct Attribute *attributes;
  unsigned attributeCount;
};

static int launchClusters(struct Gpu *gpu, void *kernel,
                          const unsigned *cluster, struct Config config,
                          void **arguments) {
  enum { notSupported = 801, clusterSize = 4 };
  if (!gpu->driver.launchEx)
    return notSupported;
  struct Attribute attribute = {.id = clusterSize};
  memcpy(attribute.sizes, cluster, sizeof attribute.sizes);
  config.attributes = &attribute;
  config.attributeCount = 1;
  return gpu->driver.launchEx(&config, kernel, arguments, NULL);
}

void mgpuLaunchClusterKernel(void *kernel, intptr_t clusterX, intptr_t clusterY,
                             intptr_t clusterZ, intptr_t gridX, intptr_t gridY,
                             intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                             intptr_t blockZ, int32_t sharedBytes, void *stream,
                             void **arguments, void **extra) {
  enum { mostUnasked = 48 << 10, functionMostShared = 8 };
  (void)stream, (void)extra;
  struct Gpu *gpu = active();
  if (gridX == 0 || gridY == 0 || gridZ == 0)
    return; /* a loop without iterations */
  /* NVIDIA's kernels get more than 48 KiB only if they ask. */
  if (gpu->driver.setFunctionAttribute && sharedBytes > mostUnasked)
    require("asking for shared memory",
            gpu->driver.setFunctionAttribute(kernel, functionMostShared,
                                             sharedBytes));
  struct Config config = {
      .grid = {(unsigned)gridX, (unsigned)gridY, (unsigned)gridZ},
      .block = {(unsigned)blockX, (unsigned)blockY, (unsigned)blockZ},
      .sharedBytes = (unsigned)sharedBytes,
      .stream = gpu->stream};
  const unsigned cluster[3] = {(unsigned)clusterX, (unsigned)clusterY,
                               (unsigned)clusterZ};
  int isPlain = cluster[0] == 1 && cluster[1] == 1 && cluster[2] == 1;
  lh_gpu_busy();
  require("launching a kernel",
          isPlain
              ? gpu->driver.launch(kernel, config.grid[0], config.grid[1],
                                   config.grid[2], config.block[0],
                                   config.block[1], config.block[2],
                                   config.sharedBytes, gpu->stream, arguments,
                                   NULL)
              : launchClusters(gpu, kernel, cluster, config, arguments));
}

void mgpuLaunchKernel(void *kernel, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t sharedBytes, void *stream,
                      void **arguments, void **extra, size_t count) {
  (void)count;
  mgpuLaunchClusterKernel(kernel, 1, 1, 1, gridX, gridY, gridZ, blockX, blockY,
                          blockZ, sharedBytes, stream, arguments, extra);
}

void lh_device_wait(void) {
  struct LhDevice *device = &active()->device;
  requireStatus(device->wait(device));
}

/* A device has one stream, and works on it in order: streams and events are
   names of it. MLIR waits behind each launch; where the host reads or writes,
   the code has waits of its own. */
void *mgpuStreamCreate(void) { return active(); }
void mgpuStreamDestroy(void *stream) { (void)stream; }
void mgpuStreamSynchronize(void *stream) { (void)stream; }
void mgpuStreamWaitEvent(void *stream, void *event) { (void)stream, (void)event; }
void *mgpuEventCreate(void) { return active(); }
void mgpuEventDestroy(void *event) { (void)event; }
void mgpuEventSynchronize(void *event) { (void)event; }
void mgpuEventRecord(void *event, void *stream) { (void)event, (void)stream; }

static void *allocate(struct Gpu *gpu, size_t bytes) {
  void *block = gpu->device.allocate(&gpu->device, bytes);
  if (!block)
    lh_leave(lh_fail(LH_OUT_OF_MEMORY,
                     "the GPU has no memory for %zu bytes that the model needs",
                     bytes));
  return block;
}

void *mgpuMemAlloc(uint64_t bytes, void *stream, _Bool isShared) {
  (void)stream, (void)isShared;
  return allocate(active(), bytes);
}

void mgpuMemFree(void *block, void *stream) {
  (void)stream;
  struct LhDevice *device = &active()->device;
  device->release(device, block);
}

void mgpuMemcpy(void *to, const void *from, size_t bytes, void *stream) {
  (void)stream;
  struct LhDevice *device = &active()->device;
  requireStatus(device->copy(device, to, from, bytes));
}

void mgpuMemset32(void *to, uint32_t value, size_t count, void *stream) {
  (void)stream;
  struct Gpu *gpu = active();
  lh_gpu_busy();
  require("filling memory", gpu->driver.fill32(to, value, count, gpu->stream));
}

void mgpuMemset16(void *to, uint16_t value, size_t count, void *stream) {
  (void)stream;
  struct Gpu *gpu = active();
  lh_gpu_busy();
  require("filling memory", gpu->driver.fill16(to, value, count, gpu->stream));
}

/* Buffers come from the device: there is nothing to register. */
void mgpuMemHostRegisterMemRef(int64_t rank, void *descriptor, int64_t bytes) {
  (void)rank, (void)descriptor, (void)bytes;
}
void mgpuMemHostUnregisterMemRef(int64_t rank, void *descriptor,
                                 int64_t bytes) {
  (void)rank, (void)descriptor, (void)bytes;
}
void mgpuSetDefaultDevice(int32_t device) { (void)device; }

void *lh_device_constant(const void *bytes, int64_t size) {
  struct Gpu *gpu = active();
  void *block = allocate(gpu, (size_t)size);
  requireStatus(gpu->device.copy(&gpu->device, block, bytes, (size_t)size));
  return block;
}

/* A map on the device. What another pointer, size or box makes is another. */
enum { mapBytes = 128 };
struct TensorMap {
  struct TensorMap *next;
  void *onDevice;
  char bytes[mapBytes];
};

static struct TensorMap *findMap(const struct Gpu *gpu, const char *bytes) {
  for (struct TensorMap *each = gpu->maps; each; each = each->next)
    if (memcmp(each->bytes, bytes, mapBytes) == 0)
      return each;
  return NULL;
}

/* With the lock held; null: the device has no memory for it. */
static struct TensorMap *addMap(struct Gpu *gpu, const char *bytes) {
  struct TensorMap *map = calloc(1, sizeof *map);
  void *place = map ? gpu->device.allocate(&gpu->device, mapBytes) : NULL;
  if (place) {
    memcpy(map->bytes, bytes, mapBytes);
    if (gpu->device.copy(&gpu->device, place, map->bytes, mapBytes) == LH_OK) {
      map->onDevice = place;
      map->next = gpu->maps;
      return gpu->maps = map;
    }
    gpu->device.release(&gpu->device, place);
  }
  free(map);
  return NULL;
}

static void *keepMap(struct Gpu *gpu, const char *bytes) {
  pthread_mutex_lock(&gpu->lock);
  struct TensorMap *map = findMap(gpu, bytes);
  if (!map)
    map = addMap(gpu, bytes);
  pthread_mutex_unlock(&gpu->lock);
  if (!map)
    lh_leave(lh_fail(LH_OUT_OF_MEMORY, "the GPU has no memory for a map"));
  return map->onDevice;
}

/* `descriptor`: allocated, aligned, offset, sizes, strides; outermost first.
   The driver counts from the innermost, and strides in bytes. */
void *mgpuTensorMapEncodeTiledMemref(int64_t rank, const int64_t *descriptor,
                                     int64_t dataType, int64_t interleave,
                                     int64_t swizzle, int64_t promotion,
                                     int64_t fill, const int64_t *box) {
  /* Of CUtensorMapDataType, in its order. */
  static const int64_t elementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  enum { mostRank = 5, notSupported = 801 };
  struct Gpu *gpu = active();
  if (!gpu->driver.encode || rank > mostRank || dataType < 0 ||
      dataType >= (int64_t)(sizeof elementBytes / sizeof *elementBytes))
    require("describing a tensor", notSupported);
  int64_t element = elementBytes[dataType];
  const int64_t *given = descriptor + 3, *givenStrides = given + rank;
  uint64_t sizes[mostRank], strides[mostRank];
  uint32_t boxes[mostRank], steps[mostRank];
  for (int64_t i = 0; i < rank; ++i) {
    int64_t from = rank - 1 - i;
    sizes[i] = (uint64_t)given[from];
    boxes[i] = (uint32_t)box[from];
    steps[i] = 1;
    if (i > 0)
      strides[i - 1] = (uint64_t)(givenStrides[from] * element);
  }
  _Alignas(64) char bytes[mapBytes] = {0};
  char *address = (char *)(uintptr_t)descriptor[1] + descriptor[2] * element;
  require("describing a tensor",
          gpu->driver.encode(bytes, (int)dataType, (uint32_t)rank, address,
                             sizes, strides, boxes, steps, (int)interleave,
                             (int)swizzle, (int)promotion, (int)fill));
  return keepMap(gpu, bytes);
}
