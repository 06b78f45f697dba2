/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The parts of a built library's runtime. */
#ifndef LH_DEPLOY_INTERNAL_H
#define LH_DEPLOY_INTERNAL_H

#include "runtime/deploy/Model.h"

#include <pthread.h>

/* Writes the text that lh_net_error() returns on this thread; `status`. */
int lh_fail(int status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Null, or what the CPU lacks for the model's code. */
const char *lh_missing_feature(const struct LhModel *model);
/* Bits of a scalable vector here; 0: there are none. */
int64_t lh_vector_bits(void);
/* Asks the kernel for what code with these features needs its leave for; 0:
   refused. */
int lh_enable_features(const struct LhModel *model);

/* An open GPU (gpu.c). Its memory is the host's, too, at the same addresses; it
   does in order what it is told, and each thread waits for what it has asked
   for itself. Functions with a status write its text. */
struct LhDevice {
  /* At a multiple of 256; null: there is none. */
  void *(*allocate)(struct LhDevice *, size_t bytes);
  void (*release)(struct LhDevice *, void *block);
  /* Before a thread's first use of the rest, and after it used another one. */
  int (*enter)(struct LhDevice *);
  int (*copy)(struct LhDevice *, void *to, const void *from, size_t bytes);
  int (*wait)(struct LhDevice *);
};
/* Memory of `device`, or of the host where that is null. Yields null where there
   is none left. */
void *lh_take(struct LhDevice *device, size_t alignment, size_t bytes);
void lh_give(struct LhDevice *device, void *memory);

/* Memory for compiled code; blocks that were released are given again. */
enum { LH_ARENA_LISTS = 256 };
struct LhBlock;
struct LhArena {
  pthread_mutex_t lock;
  struct LhDevice *device; /* that reads it as well; null: none does */
  struct LhBlock *live, *freed[LH_ARENA_LISTS];
};
/* The arena for code that this thread runs from now on; null: a common one. */
void lh_use_arena(struct LhArena *arena);
struct LhArena *lh_used_arena(void);
/* Takes back what the code has left allocated. */
void lh_arena_reclaim(struct LhArena *arena);
/* Gives all memory back to the system. */
void lh_arena_free(struct LhArena *arena);

/* Calls `packed`, and waits for what the arena's device was told, which this
   thread has entered. What it returns is LH_OK, or why the code gave up. */
int lh_call(void (*packed)(void **), void **descriptors, struct LhArena *arena);
/* Leaves lh_call() with this status, whose text is written. */
_Noreturn void lh_leave(int status);

/* A descriptor as compiled code has it: allocated, aligned, offset, sizes,
   strides. */
enum { LH_DESCRIPTOR_WORDS = 3 + 2 * LH_MAX_RANK };
void lh_describe(int64_t *descriptor, const void *data, int32_t rank,
                 const int64_t *shape);
/* Bytes of an element; 0 for what is no lh_type. */
size_t lh_element_bytes(int32_t type);
const char *lh_type_name(int32_t type);
/* Bytes of such an array. -1 when they can't be counted. */
int64_t lh_bytes(int32_t type, int32_t rank, const int64_t *shape);

/* Whether the model can be called so: LH_OK, or LH_INVALID_ARGUMENT. */
int lh_check_inputs(const struct LhModel *model, const struct lh_tensor *inputs,
                    size_t count);
int lh_check_outputs(const struct LhModel *model,
                     const struct lh_tensor *inputs,
                     const struct lh_tensor *outputs, size_t count);

/* The weights that a model's functions are called with, and what `prepare` has
   made of them: one for all instances. */
int lh_acquire_weights(const struct LhModel *model, const char *file);
void lh_release_weights(const struct LhModel *model);
/* The device that they lie on; null: they are the host's. */
struct LhDevice *lh_device(const struct LhModel *model);
const void *lh_weight(const struct LhModel *model, int32_t index);
/* The descriptor of a result of `prepare`. */
int64_t *lh_prepared(const struct LhModel *model, int32_t index);

#endif /* LH_DEPLOY_INTERNAL_H */
