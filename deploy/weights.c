/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The weights of a model, and what its `prepare` makes of them: read once, for
   all instances, and let go with the last. */
#define _GNU_SOURCE
#include "internal.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int64_t Descriptor[LH_DESCRIPTOR_WORDS];

struct LhModelState {
  pthread_mutex_t lock; /* zeros are an initialised one */
  int users;
  const char *file;     /* mapped; null: the weights are embedded */
  Descriptor *prepared;
  void *memory;         /* of what is prepared */
  struct LhDevice *device; /* that the code runs on; null: the CPU */
  int isSetUp;             /* its kernels and constants are loaded */
  void **copies;           /* of the weights, in its memory */
};
_Static_assert(sizeof(struct LhModelState) <= LH_MODEL_STATE, "it has room");

void lh_describe(int64_t *descriptor, const void *data, int32_t rank,
                 const int64_t *shape) {
  descriptor[0] = descriptor[1] = (int64_t)(uintptr_t)data;
  descriptor[2] = 0;
  int64_t stride = 1;
  for (int32_t i = rank; i-- > 0; stride *= shape[i]) {
    descriptor[3 + i] = shape[i];
    descriptor[3 + rank + i] = stride;
  }
}

const void *lh_weight(const struct LhModel *model, int32_t index) {
  const struct LhModelWeight *weight = &model->weights[index];
  if (model->state->copies)
    return model->state->copies[index];
  return weight->bytes ? weight->bytes : model->state->file + weight->offset;
}

struct LhDevice *lh_device(const struct LhModel *model) {
  return model->state->device;
}

int64_t *lh_prepared(const struct LhModel *model, int32_t index) {
  return model->state->prepared[index];
}

/* `file`, or the one beside the library, or beside the program that it is
   linked into. Owned by the caller. */
static char *pathOfWeights(const struct LhModel *model, const char *file) {
  Dl_info place;
  const char *folderEnd = NULL;
  if (!file && dladdr(model, &place) && place.dli_fname)
    folderEnd = strrchr(place.dli_fname, '/');
  if (!folderEnd)
    return strdup(file ? file : model->weightsFile);
  char *path = NULL;
  int folder = (int)(folderEnd - place.dli_fname);
  return asprintf(&path, "%.*s/%s", folder, place.dli_fname,
                  model->weightsFile) < 0
             ? NULL
             : path;
}

static int mapFile(const struct LhModel *model, const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) {
    int error = errno;
    if (file >= 0)
      close(file);
    return lh_fail(LH_BAD_WEIGHTS, "the weights '%s' can't be read: %s", path,
                   strerror(error));
  }
  const struct LhWeightsHeader *wanted = &model->weightsHeader;
  void *mapped = MAP_FAILED;
  if ((uint64_t)status.st_size == wanted->bytes)
    mapped = mmap(NULL, wanted->bytes, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped != MAP_FAILED && memcmp(mapped, wanted, sizeof *wanted) == 0) {
    model->state->file = mapped;
    return LH_OK;
  }
  if (mapped != MAP_FAILED)
    munmap(mapped, wanted->bytes);
  return lh_fail(LH_BAD_WEIGHTS,
                 "'%s' isn't the file of weights that was built with this "
                 "library",
                 path);
}

static int openWeights(const struct LhModel *model, const char *file) {
  if (!model->weightsFile)
    return LH_OK;
  char *path = pathOfWeights(model, file);
  int status = path ? mapFile(model, path)
                    : lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
  free(path);
  return status;
}

/* The descriptors that `prepare` is called with: its results, if it returns
   them, else those behind its arguments. */
struct Frame {
  void **pointers;
  Descriptor *descriptors;
  int64_t *returned; /* results one after the other */
};

static int makeFrame(const struct LhModel *model, struct Frame *frame) {
  const struct LhModelFunction *prepare = model->prepare;
  size_t count = (size_t)prepare->argumentCount + (size_t)prepare->resultCount;
  frame->pointers = calloc(count + 1, sizeof(void *));
  frame->descriptors = calloc(count + 1, sizeof(Descriptor));
  frame->returned =
      calloc((size_t)prepare->resultCount + 1, sizeof(Descriptor));
  if (!frame->pointers || !frame->descriptors || !frame->returned)
    return lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
  void **next = frame->pointers;
  if (prepare->returnsResults)
    *next++ = frame->returned;
  for (int32_t i = 0; i < prepare->argumentCount; ++i) {
    int32_t weight = prepare->arguments[i].index;
    const struct LhModelTensor *tensor = &model->weights[weight].tensor;
    lh_describe(frame->descriptors[i], lh_weight(model, weight), tensor->rank,
                tensor->shape);
    *next++ = frame->descriptors[i];
  }
  return LH_OK;
}

static void freeFrame(struct Frame *frame) {
  free(frame->pointers);
  free(frame->descriptors);
  free(frame->returned);
}

static int64_t roundUp(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/* Large pages where the system has them: weights are read from end to end. */
static void *allocateBlock(struct LhDevice *device, int64_t bytes) {
  if (device)
    return lh_take(device, 64, (size_t)bytes);
  const size_t page = (size_t)2 << 20;
  size_t size = ((size_t)bytes + page) / page * page;
  void *memory = aligned_alloc(page, size);
  if (memory)
    (void)madvise(memory, size, MADV_HUGEPAGE);
  return memory;
}

/* Results whose sizes are known are written where they stay. */
static int giveRoom(const struct LhModel *model, struct Frame *frame) {
  const struct LhModelFunction *prepare = model->prepare;
  struct LhModelState *state = model->state;
  int64_t total = 0;
  for (int32_t i = 0; i < prepare->resultCount; ++i)
    total += roundUp(lh_bytes(prepare->results[i].type,
                              prepare->results[i].rank,
                              prepare->results[i].shape));
  char *next = state->memory = allocateBlock(state->device, total);
  if (!next)
    return lh_fail(LH_OUT_OF_MEMORY,
                   "there is no memory for %lld bytes of weights",
                   (long long)total);
  for (int32_t i = 0; i < prepare->resultCount; ++i) {
    const struct LhModelTensor *result = &prepare->results[i];
    lh_describe(state->prepared[i], next, result->rank, result->shape);
    frame->pointers[prepare->argumentCount + i] = state->prepared[i];
    next += roundUp(lh_bytes(result->type, result->rank, result->shape));
  }
  return LH_OK;
}

/* Copies what was returned, which lies in an arena, to where it stays. */
static int keepReturned(const struct LhModel *model,
                        const struct Frame *frame) {
  const struct LhModelFunction *prepare = model->prepare;
  struct LhModelState *state = model->state;
  int64_t total = 0;
  const int64_t *from = frame->returned;
  for (int32_t i = 0; i < prepare->resultCount; ++i) {
    const struct LhModelTensor *result = &prepare->results[i];
    total += roundUp(lh_bytes(result->type, result->rank, from + 3));
    from += 3 + 2 * result->rank;
  }
  char *next = state->memory = allocateBlock(state->device, total);
  if (!next)
    return lh_fail(LH_OUT_OF_MEMORY,
                   "there is no memory for %lld bytes of weights",
                   (long long)total);
  from = frame->returned;
  for (int32_t i = 0; i < prepare->resultCount; ++i) {
    const struct LhModelTensor *result = &prepare->results[i];
    int64_t bytes = lh_bytes(result->type, result->rank, from + 3);
    const char *data = (const char *)(uintptr_t)from[1] +
                       from[2] * (int64_t)lh_element_bytes(result->type);
    memcpy(next, data, (size_t)bytes);
    lh_describe(state->prepared[i], next, result->rank, from + 3);
    next += roundUp(bytes);
    from += 3 + 2 * result->rank;
  }
  return LH_OK;
}

static int prepare(const struct LhModel *model) {
  if (!model->prepare)
    return LH_OK;
  struct LhModelState *state = model->state;
  struct LhArena arena = {.lock = PTHREAD_MUTEX_INITIALIZER,
                          .device = state->device};
  struct Frame frame = {0};
  state->prepared =
      calloc((size_t)model->prepare->resultCount + 1, sizeof(Descriptor));
  int status = state->prepared ? makeFrame(model, &frame)
                               : lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
  if (status == LH_OK && !model->prepare->returnsResults)
    status = giveRoom(model, &frame);
  if (status == LH_OK)
    status = lh_call(model->prepare->packed, frame.pointers, &arena);
  if (status == LH_OK && model->prepare->returnsResults)
    status = keepReturned(model, &frame);
  freeFrame(&frame);
  lh_arena_free(&arena);
  return status;
}

static int64_t weightBytes(const struct LhModel *model, int32_t i) {
  const struct LhModelTensor *tensor = &model->weights[i].tensor;
  return lh_bytes(tensor->type, tensor->rank, tensor->shape);
}

static int copyWeights(const struct LhModel *model) {
  struct LhDevice *device = model->state->device;
  void **copies = calloc((size_t)model->weightCount + 1, sizeof(void *));
  int status =
      copies ? LH_OK : lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
  for (int32_t i = 0; status == LH_OK && i < model->weightCount; ++i) {
    size_t bytes = (size_t)weightBytes(model, i);
    copies[i] = device->allocate(device, bytes);
    status = copies[i] ? device->copy(device, copies[i], lh_weight(model, i),
                                      bytes)
                       : lh_fail(LH_OUT_OF_MEMORY,
                                 "the GPU has no memory for %zu bytes of "
                                 "weights",
                                 bytes);
  }
  model->state->copies = copies; /* letGo() frees them, however far it came */
  return status == LH_OK ? device->wait(device) : status;
}

/* Kernels and constants stay there for as long as the process lives. */
static int openDevice(const struct LhModel *model) {
  struct LhModelState *state = model->state;
  if (!model->device)
    return LH_OK;
  int status = model->device->open(model->device, &state->device);
  if (status != LH_OK || state->isSetUp)
    return status;
  struct LhArena arena = {.lock = PTHREAD_MUTEX_INITIALIZER,
                          .device = state->device};
  status = lh_call(model->device->setUp, NULL, &arena);
  lh_arena_free(&arena);
  state->isSetUp = status == LH_OK;
  return status;
}

/* With the lock held. */
static void letGo(const struct LhModel *model) {
  struct LhModelState *state = model->state;
  for (int32_t i = 0; state->copies && i < model->weightCount; ++i)
    lh_give(state->device, state->copies[i]);
  free(state->copies);
  free(state->prepared);
  lh_give(state->device, state->memory);
  if (state->file)
    munmap((void *)(uintptr_t)state->file, model->weightsHeader.bytes);
  state->prepared = NULL;
  state->memory = NULL;
  state->copies = NULL;
  state->file = NULL;
}

int lh_acquire_weights(const struct LhModel *model, const char *file) {
  struct LhModelState *state = model->state;
  int status = LH_OK;
  pthread_mutex_lock(&state->lock);
  if (state->users == 0) {
    status = openDevice(model);
    if (status == LH_OK)
      status = openWeights(model, file);
    if (status == LH_OK && state->device)
      status = copyWeights(model);
    if (status == LH_OK)
      status = prepare(model);
    if (status != LH_OK)
      letGo(model);
  }
  if (status == LH_OK)
    ++state->users;
  pthread_mutex_unlock(&state->lock);
  return status;
}

void lh_release_weights(const struct LhModel *model) {
  pthread_mutex_lock(&model->state->lock);
  if (--model->state->users == 0)
    letGo(model);
  pthread_mutex_unlock(&model->state->lock);
}
