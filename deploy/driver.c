/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Finds the functions of GPUs' drivers. */
#include "gpu.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

struct Name {
  size_t place; /* in GpuFunctions */
  const char *name;
  int isOptional;
};
#define AT(MEMBER) offsetof(struct GpuFunctions, MEMBER)

static const struct Name cuda[] = {
    {AT(init), "cuInit", 0},
    {AT(version), "cuDriverGetVersion", 0},
    {AT(deviceCount), "cuDeviceGetCount", 0},
    {AT(deviceName), "cuDeviceGetName", 0},
    {AT(load), "cuModuleLoadData", 0},
    {AT(unload), "cuModuleUnload", 0},
    {AT(find), "cuModuleGetFunction", 0},
    {AT(launch), "cuLaunchKernel", 0},
    {AT(createStream), "cuStreamCreate", 0},
    {AT(synchronize), "cuStreamSynchronize", 0},
    {AT(allocate), "cuMemAllocManaged", 0},
    {AT(release), "cuMemFree_v2", 0},
    {AT(prefetch), "cuMemPrefetchAsync", 1},
    {AT(fill16), "cuMemsetD16Async", 0},
    {AT(fill32), "cuMemsetD32Async", 0},
    {AT(device), "cuDeviceGet", 0},
    {AT(attribute), "cuDeviceGetAttribute", 0},
    {AT(retainContext), "cuDevicePrimaryCtxRetain", 0},
    {AT(setContext), "cuCtxSetCurrent", 0},
    {AT(setFunctionAttribute), "cuFuncSetAttribute", 0},
    {AT(launchEx), "cuLaunchKernelEx", 1},
    {AT(cudaCopy), "cuMemcpyAsync", 0},
    {AT(cudaErrorName), "cuGetErrorName", 0},
    {AT(encode), "cuTensorMapEncodeTiled", 1},
    {0, NULL, 0}};

static const struct Name hip[] = {
    {AT(init), "hipInit", 0},
    {AT(version), "hipRuntimeGetVersion", 0},
    {AT(deviceCount), "hipGetDeviceCount", 0},
    {AT(deviceName), "hipDeviceGetName", 0},
    {AT(load), "hipModuleLoadData", 0},
    {AT(unload), "hipModuleUnload", 0},
    {AT(find), "hipModuleGetFunction", 0},
    {AT(launch), "hipModuleLaunchKernel", 0},
    {AT(createStream), "hipStreamCreateWithFlags", 0},
    {AT(synchronize), "hipStreamSynchronize", 0},
    {AT(allocate), "hipMallocManaged", 0},
    {AT(release), "hipFree", 0},
    {AT(prefetch), "hipMemPrefetchAsync", 1},
    {AT(fill16), "hipMemsetD16Async", 0},
    {AT(fill32), "hipMemsetD32Async", 0},
    {AT(setDevice), "hipSetDevice", 0},
    {AT(properties), "hipGetDevicePropertiesR0600", 1}, /* since HIP 6 */
    {AT(hipCopy), "hipMemcpyAsync", 0},
    {AT(hipErrorName), "hipGetErrorName", 0},
    {0, NULL, 0}};

/* The newest first. */
static const char *const libraries[][4] = {
    [LH_NVIDIA] = {"libcuda.so.1", NULL},
    [LH_AMD] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                NULL}};

/* It stays open: drivers don't survive being closed. */
static void *openLibrary(const char *const *names, const char **opened) {
  for (; *names; ++names) {
    void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
    *opened = *names;
    if (library)
      return library;
  }
  return NULL;
}

int lh_bind_driver(struct Gpu *gpu) {
  const char *vendor = gpu->vendor == LH_NVIDIA ? "NVIDIA" : "AMD";
  const char *name = NULL;
  void *library = openLibrary(libraries[gpu->vendor], &name);
  if (!library)
    return lh_fail(LH_NO_DEVICE, "there is no %s driver: %s", vendor,
                   dlerror());
  const struct Name *wanted = gpu->vendor == LH_NVIDIA ? cuda : hip;
  for (; wanted->name; ++wanted) {
    void *function = dlsym(library, wanted->name);
    if (!function && !wanted->isOptional)
      return lh_fail(LH_NO_DEVICE, "'%s' is too old: it has no '%s'", name,
                     wanted->name);
    memcpy((char *)&gpu->driver + wanted->place, &function, sizeof function);
  }
  if (gpu->vendor == LH_AMD && !gpu->driver.properties) {
    void *function = dlsym(library, "hipGetDeviceProperties");
    memcpy(&gpu->driver.properties, &function, sizeof function);
  }
  return LH_OK;
}
