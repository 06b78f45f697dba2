/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What a caller gives is looked at before compiled code sees it. */
#include "internal.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  size_t bytes;
} types[] = {
    [LH_BOOL] = {"bool", 1},
    [LH_INT8] = {"int8", 1},
    [LH_INT16] = {"int16", 2},
    [LH_INT32] = {"int32", 4},
    [LH_INT64] = {"int64", 8},
    [LH_UINT8] = {"uint8", 1},
    [LH_UINT16] = {"uint16", 2},
    [LH_UINT32] = {"uint32", 4},
    [LH_UINT64] = {"uint64", 8},
    [LH_FLOAT16] = {"float16", 2},
    [LH_BFLOAT16] = {"bfloat16", 2},
    [LH_FLOAT32] = {"float32", 4},
    [LH_FLOAT64] = {"float64", 8},
    [LH_FLOAT8E4M3FN] = {"float8e4m3fn", 1},
    [LH_FLOAT8E4M3FNUZ] = {"float8e4m3fnuz", 1},
    [LH_FLOAT8E5M2] = {"float8e5m2", 1},
    [LH_FLOAT8E5M2FNUZ] = {"float8e5m2fnuz", 1},
    [LH_FLOAT8E8M0] = {"float8e8m0", 1},
    [LH_FLOAT4E2M1] = {"float4e2m1", 1},
    [LH_INT4] = {"int4", 1},
    [LH_UINT4] = {"uint4", 1},
    [LH_INT2] = {"int2", 1},
    [LH_UINT2] = {"uint2", 1},
};

static int isType(int32_t type) {
  return type >= 0 && (size_t)type < sizeof types / sizeof *types;
}

size_t lh_element_bytes(int32_t type) {
  return isType(type) ? types[type].bytes : 0;
}

const char *lh_type_name(int32_t type) {
  return isType(type) ? types[type].name : "no type";
}

int64_t lh_bytes(int32_t type, int32_t rank, const int64_t *shape) {
  int64_t bytes = (int64_t)lh_element_bytes(type);
  for (int32_t i = 0; i < rank; ++i)
    if (shape[i] < 0 || __builtin_mul_overflow(bytes, shape[i], &bytes))
      return -1;
  return bytes;
}

/* "1x3x224", "Nx3x224" for what is open; of at most `size` bytes. */
static const char *shapeText(char *text, size_t size, int32_t rank,
                             const int64_t *shape,
                             const char *const *dimension) {
  size_t used = (size_t)snprintf(text, size, "%s", rank ? "" : "a scalar");
  for (int32_t i = 0; i < rank && used < size; ++i) {
    const char *name = dimension && dimension[i] ? dimension[i] : "?";
    const char *times = i ? "x" : "";
    used += (size_t)(shape[i] < 0 ? snprintf(text + used, size - used, "%s%s",
                                             times, name)
                                  : snprintf(text + used, size - used, "%s%lld",
                                             times, (long long)shape[i]));
  }
  return text;
}

static int fits(const struct LhModelTensor *wanted,
                const struct lh_tensor *given) {
  if (given->rank != wanted->rank)
    return 0;
  for (int32_t i = 0; i < wanted->rank; ++i)
    if (given->shape[i] < 0 ||
        (wanted->shape[i] >= 0 && wanted->shape[i] != given->shape[i]))
      return 0;
  return 1;
}

static int checkShape(const struct LhModelTensor *wanted,
                      const struct lh_tensor *given) {
  char has[256], wants[256];
  if (given->rank < 0 || given->rank > LH_MAX_RANK)
    return lh_fail(LH_INVALID_ARGUMENT, "input '%s': its rank is %d",
                   wanted->name, given->rank);
  if (fits(wanted, given))
    return LH_OK;
  return lh_fail(
      LH_INVALID_ARGUMENT, "input '%s' is %s, the model takes %s",
      wanted->name, shapeText(has, sizeof has, given->rank, given->shape, NULL),
      shapeText(wants, sizeof wants, wanted->rank, wanted->shape,
                wanted->dimension));
}

/* Room for `needed` bytes that can be used as elements of the type. */
static int checkMemory(const char *kind, const char *name, int32_t type,
                       const struct lh_tensor *given, int64_t needed) {
  if (needed < 0)
    return lh_fail(LH_INVALID_ARGUMENT, "%s '%s' has more bytes than there are",
                   kind, name);
  if (given->bytes < (size_t)needed)
    return lh_fail(LH_INVALID_ARGUMENT,
                   "%s '%s' needs %lld bytes, `bytes` says %zu", kind, name,
                   (long long)needed, given->bytes);
  if (!given->data && needed > 0)
    return lh_fail(LH_INVALID_ARGUMENT, "%s '%s' has no data", kind, name);
  if ((uintptr_t)given->data % lh_element_bytes(type) != 0)
    return lh_fail(LH_INVALID_ARGUMENT,
                   "%s '%s' lies at %p, which is no multiple of the %zu bytes "
                   "of a %s",
                   kind, name, given->data, lh_element_bytes(type),
                   lh_type_name(type));
  return LH_OK;
}

/* Other bytes than 0 and 1 would be undefined to the code. */
static int checkBooleans(const struct LhModelTensor *wanted,
                         const struct lh_tensor *given, int64_t count) {
  const uint8_t *bytes = given->data;
  for (int64_t i = 0; wanted->type == LH_BOOL && i < count; ++i)
    if (bytes[i] > 1)
      return lh_fail(LH_INVALID_ARGUMENT,
                     "input '%s': element %lld is %d, a bool is 0 or 1",
                     wanted->name, (long long)i, bytes[i]);
  return LH_OK;
}

static int checkInput(const struct LhModelTensor *wanted,
                      const struct lh_tensor *given) {
  if (given->type != wanted->type)
    return lh_fail(LH_INVALID_ARGUMENT, "input '%s' is %s, the model takes %s",
                   wanted->name, lh_type_name(given->type),
                   lh_type_name(wanted->type));
  int status = checkShape(wanted, given);
  if (status != LH_OK)
    return status;
  int64_t bytes = lh_bytes(wanted->type, given->rank, given->shape);
  status = checkMemory("input", wanted->name, wanted->type, given, bytes);
  return status == LH_OK ? checkBooleans(wanted, given, bytes) : status;
}

/* The size that an earlier dimension of this name was given, and whose it is. */
static int64_t sizeOf(const struct LhModel *model,
                      const struct lh_tensor *inputs, const char *name,
                      const struct LhModelTensor **whose) {
  for (int32_t i = 0; i < model->inputCount; ++i)
    for (int32_t k = 0; k < model->inputs[i].rank; ++k)
      if (model->inputs[i].dimension[k] &&
          strcmp(model->inputs[i].dimension[k], name) == 0) {
        *whose = &model->inputs[i];
        return inputs[i].shape[k];
      }
  return -1;
}

static int checkDimensions(const struct LhModel *model,
                           const struct lh_tensor *inputs) {
  for (int32_t i = 0; i < model->inputCount; ++i)
    for (int32_t k = 0; k < model->inputs[i].rank; ++k) {
      const char *name = model->inputs[i].dimension[k];
      const struct LhModelTensor *whose = NULL;
      int64_t size = name ? sizeOf(model, inputs, name, &whose) : -1;
      if (size >= 0 && size != inputs[i].shape[k])
        return lh_fail(LH_INVALID_ARGUMENT,
                       "dimension '%s' is %lld of input '%s', but %lld of "
                       "input '%s'",
                       name, (long long)size, whose->name,
                       (long long)inputs[i].shape[k], model->inputs[i].name);
    }
  return LH_OK;
}

static int checkCount(const char *kind, const void *given, size_t count,
                      int32_t wanted) {
  if (count != (size_t)wanted)
    return lh_fail(LH_INVALID_ARGUMENT, "%zu %s are given, the model has %d",
                   count, kind, wanted);
  if (!given && count > 0)
    return lh_fail(LH_INVALID_ARGUMENT, "the array of %s is null", kind);
  return LH_OK;
}

int lh_check_inputs(const struct LhModel *model, const struct lh_tensor *inputs,
                    size_t count) {
  int status = checkCount("inputs", inputs, count, model->inputCount);
  for (size_t i = 0; status == LH_OK && i < count; ++i)
    status = checkInput(&model->inputs[i], &inputs[i]);
  return status == LH_OK ? checkDimensions(model, inputs) : status;
}

static int overlap(const struct lh_tensor *a, const struct lh_tensor *b) {
  uintptr_t from = (uintptr_t)a->data, other = (uintptr_t)b->data;
  return a->data && b->data && a->bytes && b->bytes &&
         from < other + b->bytes && other < from + a->bytes;
}

static int checkOutput(const struct LhModel *model,
                       const struct lh_tensor *inputs,
                       const struct lh_tensor *outputs, size_t i) {
  const struct LhModelTensor *result = &model->entry.results[i];
  if (!outputs[i].data)
    return LH_OK; /* the instance has memory for it */
  int64_t bytes = lh_bytes(result->type, result->rank, result->shape);
  int status = checkMemory("output", result->name, result->type, &outputs[i],
                           bytes < 0 ? 0 : bytes);
  for (int32_t k = 0; status == LH_OK && k < model->inputCount; ++k)
    if (overlap(&outputs[i], &inputs[k]))
      status = lh_fail(LH_INVALID_ARGUMENT,
                       "output '%s' shares memory with input '%s'",
                       result->name, model->inputs[k].name);
  for (size_t k = 0; status == LH_OK && k < i; ++k)
    if (overlap(&outputs[i], &outputs[k]))
      status = lh_fail(LH_INVALID_ARGUMENT,
                       "outputs '%s' and '%s' share memory", result->name,
                       model->entry.results[k].name);
  return status;
}

int lh_check_outputs(const struct LhModel *model,
                     const struct lh_tensor *inputs,
                     const struct lh_tensor *outputs, size_t count) {
  int status = checkCount("outputs", outputs, count, model->entry.resultCount);
  for (size_t i = 0; status == LH_OK && i < count; ++i)
    status = checkOutput(model, inputs, outputs, i);
  return status;
}
