/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Opens the GPU that a library's kernels are for. What is asked of a device,
   and why, is as in engine/runtime/gpu. */
#define _GNU_SOURCE
#include "gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int isBusy;

void lh_gpu_busy(void) { isBusy = 1; }

static const char *errorName(const struct Gpu *gpu, int error) {
  const char *name = NULL;
  if (gpu->vendor == LH_AMD)
    name = gpu->driver.hipErrorName(error);
  else
    gpu->driver.cudaErrorName(error, &name);
  return name ? name : "an unknown error";
}

int lh_gpu_failed(const struct Gpu *gpu, const char *doing, int error) {
  enum { outOfMemory = 2 }; /* both vendors' */
  return lh_fail(error == outOfMemory ? LH_OUT_OF_MEMORY : LH_MODEL_FAILED,
                 "%s fails on %s: %s", doing, gpu->description,
                 errorName(gpu, error));
}

static int check(const struct Gpu *gpu, const char *doing, int error) {
  return error ? lh_gpu_failed(gpu, doing, error) : LH_OK;
}

static struct Gpu *gpuOf(struct LhDevice *device) {
  return (struct Gpu *)device;
}

static void *allocate(struct LhDevice *device, size_t bytes) {
  enum { attachGlobal = 1 };
  void *block = NULL;
  int error = gpuOf(device)->driver.allocate(&block, bytes ? bytes : 1,
                                             attachGlobal);
  return error ? NULL : block;
}

static int enter(struct LhDevice *device) {
  struct Gpu *gpu = gpuOf(device);
  return check(gpu, "its use by this thread",
               gpu->vendor == LH_AMD ? gpu->driver.setDevice(gpu->number)
                                     : gpu->driver.setContext(gpu->context));
}

/* An instance may end in a thread that hasn't used the device. */
static void release(struct LhDevice *device, void *block) {
  if (enter(device) == LH_OK)
    (void)gpuOf(device)->driver.release(block);
}

static int copy(struct LhDevice *device, void *to, const void *from,
                size_t bytes) {
  enum { asAddressesSay = 4 };
  struct Gpu *gpu = gpuOf(device);
  isBusy = 1;
  int error = gpu->vendor == LH_AMD
                  ? gpu->driver.hipCopy(to, from, bytes, asAddressesSay,
                                        gpu->stream)
                  : gpu->driver.cudaCopy(to, from, bytes, gpu->stream);
  /* Pages that were written by the host would come one by one. */
  if (!error && gpu->driver.prefetch)
    (void)gpu->driver.prefetch(to, bytes, gpu->number, gpu->stream);
  return check(gpu, "copying", error);
}

static int wait(struct LhDevice *device) {
  struct Gpu *gpu = gpuOf(device);
  if (!isBusy)
    return LH_OK;
  isBusy = 0;
  return check(gpu, "work", gpu->driver.synchronize(gpu->stream));
}

/* As text, without the end of "gfx942:sramecc+:xnack-". Its place differs
   between HIP's versions; nothing else behind the device's name begins so. "":
   HIP doesn't say. */
static void amdChip(const struct Gpu *gpu, int index, char *chip, size_t size) {
  enum { nameBytes = 256, most = 16384 }; /* no version has that many */
  char *properties = calloc(1, most);
  *chip = 0;
  if (properties && gpu->driver.properties &&
      gpu->driver.properties(properties, index) == 0) {
    const char *at = memmem(properties + nameBytes, most - nameBytes - size,
                            "gfx", strlen("gfx"));
    size_t length = at ? strspn(at, "abcdefghijklmnopqrstuvwxyz0123456789") : 0;
    if (length < size)
      snprintf(chip, size, "%.*s", (int)length, at ? at : "");
  }
  free(properties);
}

/* Whether the device at `index` runs the code; `kind` is what it is. */
static int tryDevice(struct Gpu *gpu, const struct LhModelDevice *wanted,
                     int index, char *kind, size_t size) {
  enum { capabilityMajor = 75, capabilityMinor = 76 };
  int major = 0, minor = 0;
  if (gpu->vendor == LH_AMD) {
    gpu->number = index;
    amdChip(gpu, index, kind, size);
    return !*kind || strcmp(kind, wanted->chip) == 0;
  }
  if (gpu->driver.device(&gpu->number, index) != 0)
    return 0;
  (void)gpu->driver.attribute(&major, capabilityMajor, gpu->number);
  (void)gpu->driver.attribute(&minor, capabilityMinor, gpu->number);
  int capability = major * 10 + minor;
  snprintf(kind, size, "sm_%d", capability);
  return capability >= wanted->leastCapability &&
         capability <= wanted->mostCapability;
}

static int chooseDevice(struct Gpu *gpu, const struct LhModelDevice *wanted) {
  int count = 0;
  char kind[32] = "of no kind", seen[512] = "";
  if (gpu->driver.deviceCount(&count) != 0 || count == 0)
    return lh_fail(LH_NO_DEVICE, "the driver has no GPU");
  for (int i = 0; i < count; ++i) {
    int fits = tryDevice(gpu, wanted, i, kind, sizeof kind);
    (void)gpu->driver.deviceName(gpu->description,
                                 (int)sizeof gpu->description - 1, gpu->number);
    if (fits)
      return LH_OK;
    size_t used = strlen(seen);
    snprintf(seen + used, sizeof seen - used, "%s%s is %s", used ? ", " : "",
             gpu->description, kind);
  }
  return lh_fail(LH_NO_DEVICE, "no GPU runs code for %s: %s", wanted->chip,
                 seen);
}

static int checkVersion(const struct Gpu *gpu,
                        const struct LhModelDevice *wanted) {
  int version = 0;
  int error = gpu->driver.version(&version);
  if (!error && version >= wanted->leastDriver)
    return LH_OK;
  return lh_fail(LH_NO_DEVICE,
                 "the GPU's driver has version %d, code for %s needs %d or "
                 "later",
                 version, wanted->chip, wanted->leastDriver);
}

static int openGpu(struct Gpu *gpu, const struct LhModelDevice *wanted) {
  enum { nonBlocking = 1 };
  gpu->device = (struct LhDevice){allocate, release, enter, copy, wait};
  gpu->vendor = wanted->vendor;
  pthread_mutex_init(&gpu->lock, NULL);
  int status = lh_bind_driver(gpu);
  if (status != LH_OK)
    return status;
  int error = gpu->driver.init(0);
  if (error)
    return lh_fail(LH_NO_DEVICE, "the GPU's driver doesn't work: %s",
                   errorName(gpu, error));
  status = checkVersion(gpu, wanted);
  if (status == LH_OK)
    status = chooseDevice(gpu, wanted);
  if (status == LH_OK && gpu->vendor == LH_NVIDIA)
    status = check(gpu, "opening the device",
                   gpu->driver.retainContext(&gpu->context, gpu->number));
  if (status == LH_OK)
    status = enter(&gpu->device);
  if (status == LH_OK)
    status = check(gpu, "making a stream",
                   gpu->driver.createStream(&gpu->stream, nonBlocking));
  return status;
}

/* One for each chip that a program's libraries are for; they stay open. */
struct Open {
  struct Open *next;
  const char *chip;
  int32_t least, most;
  struct Gpu gpu;
};
static struct Open *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct Open *find(const struct LhModelDevice *wanted) {
  for (struct Open *each = all; each; each = each->next)
    if (strcmp(each->chip, wanted->chip) == 0 &&
        each->least == wanted->leastCapability &&
        each->most == wanted->mostCapability)
      return each;
  return NULL;
}

int lh_open_gpu(const struct LhModelDevice *wanted, struct LhDevice **opened) {
  int status = LH_OK;
  pthread_mutex_lock(&lock);
  struct Open *device = find(wanted);
  if (!device) {
    device = calloc(1, sizeof *device);
    status = device ? openGpu(&device->gpu, wanted)
                    : lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
    if (status == LH_OK) {
      device->chip = strdup(wanted->chip);
      device->least = wanted->leastCapability;
      device->most = wanted->mostCapability;
      device->next = all;
      all = device;
    } else {
      free(device);
      device = NULL;
      status = status == LH_MODEL_FAILED ? LH_NO_DEVICE : status;
    }
  }
  pthread_mutex_unlock(&lock);
  if (!device)
    return status;
  *opened = &device->gpu.device;
  return enter(*opened);
}
