// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Calls a built library (deploy/) by the functions of its header, as a program
   of its user's does. */
#include "lh-runner.h"

#include "runtime/deploy/lighthouse.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct BuiltLibrary {
  void *net;
  int (*run)(void *net, const struct lh_tensor *inputs, size_t inputCount,
             struct lh_tensor *outputs, size_t outputCount);
  const char *(*error)(void);
  struct lh_tensor *inputs, *outputs;
  size_t inputCount, outputCount;
};

static void *function(void *library, const char *name, const char *suffix) {
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s_%s", name, suffix);
  void *found = dlsym(library, symbol);
  if (!found)
    fail(LH_CANNOT_LOAD, "%s", dlerror());
  return found;
}

/* `bytes` is where the tensor lies; null: the library has memory for it. */
static struct lh_tensor tensorOf(const struct LhTensor *tensor, void *bytes) {
  struct lh_tensor made = {.data = bytes,
                           .type = (int32_t)tensor->type,
                           .rank = (int32_t)tensor->rank};
  const int64_t *sizes = at(tensor->sizes);
  made.bytes = tensor->elementBytes;
  for (int32_t i = 0; i < made.rank; ++i) {
    made.shape[i] = sizes[i];
    made.bytes *= (size_t)sizes[i];
  }
  return made;
}

struct BuiltLibrary *openBuilt(void *library, const char *name,
                               const struct LhCall *call) {
  struct BuiltLibrary *built = calloc(1, sizeof *built);
  int (*create)(void **, const char *) = function(library, name, "create");
  built->run = function(library, name, "run");
  built->error = function(library, name, "error");
  built->inputCount = call->argumentCount;
  built->outputCount = call->resultCount;
  built->inputs = calloc(built->inputCount + 1, sizeof(struct lh_tensor));
  built->outputs = calloc(built->outputCount + 1, sizeof(struct lh_tensor));
  const struct LhTensor *arguments = at(call->arguments);
  for (size_t i = 0; i < built->inputCount; ++i)
    built->inputs[i] = tensorOf(&arguments[i], at(arguments[i].offset));
  if (create(&built->net, NULL) != LH_OK)
    fail(LH_REFUSED, "%s_create fails: %s", name, built->error());
  return built;
}

void callBuilt(struct BuiltLibrary *built, const struct LhCall *call) {
  const struct LhTensor *results = at(call->results);
  for (size_t i = 0; i < built->outputCount; ++i) {
    if (results[i].place == LH_RETURNED)
      memset(&built->outputs[i], 0, sizeof built->outputs[i]);
    else
      built->outputs[i] = tensorOf(&results[i], at(results[i].offset));
  }
  if (built->run(built->net, built->inputs, built->inputCount, built->outputs,
                 built->outputCount) != LH_OK)
    fail(LH_REFUSED, "run function fails: %s", built->error());
}

void describeBuilt(const struct BuiltLibrary *built, size_t output,
                   int64_t *descriptor) {
  const struct lh_tensor *tensor = &built->outputs[output];
  descriptor[0] = descriptor[1] = (int64_t)tensor->data;
  descriptor[2] = 0;
  for (int32_t i = 0; i < tensor->rank; ++i)
    descriptor[3 + i] = tensor->shape[i];
}
