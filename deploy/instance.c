/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The functions that a built library has under its own name. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

typedef int64_t Descriptor[LH_DESCRIPTOR_WORDS];

/* Memory of the instance for a tensor. */
struct Room {
  void *data;
  size_t bytes;
};

struct LhInstance {
  const struct LhModel *model;
  pthread_mutex_t lock; /* of one call at a time */
  struct LhArena arena;
  void **pointers;         /* what the entry is called with */
  Descriptor *inputs;      /* by input */
  Descriptor *weights;     /* by argument, where that is one */
  Descriptor *results;     /* by result, where the caller has room for it */
  int64_t *returned;       /* results that the entry returns, end to end */
  struct Room *rooms;      /* by result */
  struct Room *copies;     /* by input, where a device needs it in its memory */
};

static int checkMachine(const struct LhModel *model) {
  if (model->version != LH_MODEL_VERSION)
    return lh_fail(LH_INVALID_ARGUMENT,
                   "the library is linked with parts of another version");
  const char *missing = lh_missing_feature(model);
  if (missing)
    return lh_fail(LH_UNSUPPORTED_CPU,
                   "'%s' was built for CPUs with '%s', which this one lacks",
                   model->name, missing);
  int64_t bits = model->mostVectorBits ? lh_vector_bits() : 0;
  if (bits < model->leastVectorBits || bits > model->mostVectorBits)
    return lh_fail(LH_UNSUPPORTED_CPU,
                   "'%s' was built for vectors of %lld to %lld bits, this "
                   "machine's have %lld",
                   model->name, (long long)model->leastVectorBits,
                   (long long)model->mostVectorBits, (long long)bits);
  if (!lh_enable_features(model))
    return lh_fail(LH_UNSUPPORTED_CPU,
                   "the kernel refuses '%s' the use of AMX tiles",
                   model->name);
  return LH_OK;
}

static int allocateFrame(struct LhInstance *net) {
  const struct LhModelFunction *entry = &net->model->entry;
  size_t arguments = (size_t)entry->argumentCount + 1;
  size_t results = (size_t)entry->resultCount + 1;
  net->pointers = calloc(arguments + results, sizeof(void *));
  net->inputs = calloc((size_t)net->model->inputCount + 1, sizeof(Descriptor));
  net->weights = calloc(arguments, sizeof(Descriptor));
  net->results = calloc(results, sizeof(Descriptor));
  net->returned = calloc(results, sizeof(Descriptor));
  net->rooms = calloc(results, sizeof(struct Room));
  net->copies = calloc((size_t)net->model->inputCount + 1, sizeof(struct Room));
  return net->pointers && net->inputs && net->weights && net->results &&
                 net->returned && net->rooms && net->copies
             ? LH_OK
             : lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
}

static void fillFrame(struct LhInstance *net) {
  const struct LhModel *model = net->model;
  const struct LhModelFunction *entry = &model->entry;
  void **next = net->pointers;
  if (entry->returnsResults)
    *next++ = net->returned;
  for (int32_t i = 0; i < entry->argumentCount; ++i) {
    const struct LhModelArgument *argument = &entry->arguments[i];
    if (argument->role == LH_ROLE_INPUT) {
      *next++ = net->inputs[argument->index];
    } else if (argument->role == LH_ROLE_PREPARED) {
      *next++ = lh_prepared(model, argument->index);
    } else {
      const struct LhModelTensor *weight = &model->weights[argument->index].tensor;
      lh_describe(net->weights[i], lh_weight(model, argument->index),
                  weight->rank, weight->shape);
      *next++ = net->weights[i];
    }
  }
  for (int32_t i = 0; !entry->returnsResults && i < entry->resultCount; ++i)
    *next++ = net->results[i];
}

static void freeInstance(struct LhInstance *net) {
  struct LhDevice *device = net->arena.device;
  for (int32_t i = 0; net->rooms && i < net->model->entry.resultCount; ++i)
    lh_give(device, net->rooms[i].data);
  for (int32_t i = 0; net->copies && i < net->model->inputCount; ++i)
    lh_give(device, net->copies[i].data);
  lh_arena_free(&net->arena);
  free(net->pointers);
  free(net->inputs);
  free(net->weights);
  free(net->results);
  free(net->returned);
  free(net->rooms);
  free(net->copies);
  free(net);
}

int lh_net_create(struct LhInstance **created, const char *weights,
                  const struct LhModel *model) {
  if (!created)
    return lh_fail(LH_INVALID_ARGUMENT,
                   "the place for the new instance is null");
  *created = NULL;
  int status = checkMachine(model);
  if (status != LH_OK)
    return status;
  struct LhInstance *net = calloc(1, sizeof *net);
  if (!net)
    return lh_fail(LH_OUT_OF_MEMORY, "there is no memory");
  net->model = model;
  pthread_mutex_init(&net->lock, NULL);
  pthread_mutex_init(&net->arena.lock, NULL);
  status = allocateFrame(net);
  if (status == LH_OK)
    status = lh_acquire_weights(model, weights);
  if (status != LH_OK) {
    freeInstance(net);
    return status;
  }
  net->arena.device = lh_device(model);
  fillFrame(net);
  *created = net;
  return LH_OK;
}

void lh_net_destroy(struct LhInstance *net) {
  if (!net)
    return;
  const struct LhModel *model = net->model;
  freeInstance(net);
  lh_release_weights(model);
}

/* Of what is called `name` and has so many bytes; kept from call to call. */
static int makeRoom(struct LhDevice *device, struct Room *room, int64_t bytes,
                    const char *name) {
  if (room->data && room->bytes >= (size_t)bytes)
    return LH_OK;
  lh_give(device, room->data);
  room->bytes = ((size_t)bytes + 64) / 64 * 64;
  room->data = lh_take(device, 64, room->bytes);
  return room->data
             ? LH_OK
             : lh_fail(LH_OUT_OF_MEMORY, "there is no memory for '%s'", name);
}

static void fillIn(struct lh_tensor *output, const struct LhModelTensor *result,
                   const int64_t *shape) {
  output->type = result->type;
  output->rank = result->rank;
  memcpy(output->shape, shape, (size_t)result->rank * sizeof *shape);
}

/* Where the entry writes results whose sizes are known: where the caller wants
   them, but for a device, which writes to memory of its own. */
static int placeResults(struct LhInstance *net, struct lh_tensor *outputs) {
  const struct LhModelFunction *entry = &net->model->entry;
  struct LhDevice *device = net->arena.device;
  for (int32_t i = 0; i < entry->resultCount; ++i) {
    const struct LhModelTensor *result = &entry->results[i];
    struct Room *room = &net->rooms[i];
    if (!outputs[i].data || device) {
      int64_t bytes = lh_bytes(result->type, result->rank, result->shape);
      int status = makeRoom(device, room, bytes, result->name);
      if (status != LH_OK)
        return status;
      if (!outputs[i].data) {
        outputs[i].data = room->data;
        outputs[i].bytes = (size_t)bytes;
      }
    }
    fillIn(&outputs[i], result, result->shape);
    lh_describe(net->results[i], device ? room->data : outputs[i].data,
                result->rank, result->shape);
  }
  return LH_OK;
}

/* To where the caller wants them. */
static void copyResults(const struct LhInstance *net,
                        const struct lh_tensor *outputs) {
  for (int32_t i = 0; i < net->model->entry.resultCount; ++i) {
    int64_t bytes =
        lh_bytes(outputs[i].type, outputs[i].rank, outputs[i].shape);
    if (outputs[i].data != net->rooms[i].data)
      memcpy(outputs[i].data, net->rooms[i].data, (size_t)bytes);
  }
}

static int takeReturned(struct LhInstance *net, int32_t i,
                        const int64_t *descriptor, struct lh_tensor *output) {
  const struct LhModelTensor *result = &net->model->entry.results[i];
  const int64_t *shape = descriptor + 3;
  int64_t bytes = lh_bytes(result->type, result->rank, shape);
  if (!output->data) {
    int status =
        makeRoom(net->arena.device, &net->rooms[i], bytes, result->name);
    if (status != LH_OK)
      return status;
    output->data = net->rooms[i].data;
    output->bytes = (size_t)bytes;
  } else if (output->bytes < (size_t)bytes) {
    return lh_fail(LH_INVALID_ARGUMENT,
                   "output '%s' has %lld bytes for these inputs, `bytes` says "
                   "%zu",
                   result->name, (long long)bytes, output->bytes);
  }
  memcpy(output->data,
         (const char *)(uintptr_t)descriptor[1] +
             descriptor[2] * (int64_t)lh_element_bytes(result->type),
         (size_t)bytes);
  fillIn(output, result, shape);
  return LH_OK;
}

static int takeResults(struct LhInstance *net, struct lh_tensor *outputs) {
  const int64_t *next = net->returned;
  for (int32_t i = 0; i < net->model->entry.resultCount; ++i) {
    int status = takeReturned(net, i, next, &outputs[i]);
    if (status != LH_OK)
      return status;
    next += 3 + 2 * net->model->entry.results[i].rank;
  }
  return LH_OK;
}

/* Where the entry reads the inputs. */
static int placeInputs(struct LhInstance *net, const struct lh_tensor *inputs) {
  struct LhDevice *device = net->arena.device;
  int status = device ? device->enter(device) : LH_OK;
  for (int32_t i = 0; status == LH_OK && i < net->model->inputCount; ++i) {
    const struct lh_tensor *input = &inputs[i];
    struct Room *copy = &net->copies[i];
    if (device) {
      int64_t bytes = lh_bytes(input->type, input->rank, input->shape);
      status = makeRoom(device, copy, bytes, net->model->inputs[i].name);
      if (status == LH_OK)
        status = device->copy(device, copy->data, input->data, (size_t)bytes);
    }
    lh_describe(net->inputs[i], device ? copy->data : input->data, input->rank,
                input->shape);
  }
  return status;
}

static int run(struct LhInstance *net, const struct lh_tensor *inputs,
               struct lh_tensor *outputs) {
  const struct LhModel *model = net->model;
  int returns = model->entry.returnsResults;
  int status = placeInputs(net, inputs);
  if (status == LH_OK && !returns)
    status = placeResults(net, outputs);
  if (status == LH_OK)
    status = lh_call(model->entry.packed, net->pointers, &net->arena);
  if (status == LH_OK && returns)
    status = takeResults(net, outputs);
  else if (status == LH_OK && net->arena.device)
    copyResults(net, outputs);
  lh_arena_reclaim(&net->arena);
  return status;
}

int lh_net_run(struct LhInstance *net, const struct lh_tensor *inputs,
               size_t inputCount, struct lh_tensor *outputs,
               size_t outputCount) {
  if (!net)
    return lh_fail(LH_INVALID_ARGUMENT, "the instance is null");
  int status = lh_check_inputs(net->model, inputs, inputCount);
  if (status == LH_OK)
    status = lh_check_outputs(net->model, inputs, outputs, outputCount);
  if (status != LH_OK)
    return status;
  pthread_mutex_lock(&net->lock);
  status = run(net, inputs, outputs);
  pthread_mutex_unlock(&net->lock);
  return status;
}

const char *lh_net_description(const struct LhModel *model) {
  return model->description;
}
