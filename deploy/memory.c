/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The allocator of compiled code. Blocks are kept when they are released, so
   that a model which was called with some sizes once allocates nothing when it
   is called with them again. */
#include "internal.h"

#include <stdlib.h>

enum { leastAlignment = 64 };

/* What stands right before a block's bytes. */
struct LhBlock {
  struct LhArena *arena;
  struct LhBlock *next, *previous; /* of the live ones; `next` of the freed */
  void *memory;                    /* what the system gave */
  size_t alignment;
  unsigned list;
};
_Static_assert(sizeof(struct LhBlock) <= leastAlignment, "it fits before one");

/* For threads that the code has started. */
static struct LhArena common = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local struct LhArena *mine;

void lh_use_arena(struct LhArena *arena) { mine = arena; }

struct LhArena *lh_used_arena(void) { return mine; }

/* A device has no larger alignment than its own. */
void *lh_take(struct LhDevice *device, size_t alignment, size_t bytes) {
  enum { deviceAlignment = 256 };
  if (!device)
    return aligned_alloc(alignment,
                         (bytes + alignment - 1) / alignment * alignment);
  return alignment <= deviceAlignment ? device->allocate(device, bytes) : NULL;
}

void lh_give(struct LhDevice *device, void *memory) {
  if (device && memory)
    device->release(device, memory);
  else
    free(memory);
}

/* Four sizes for each power of two: at most a quarter is lost. */
static unsigned listOf(size_t size, size_t *capacity) {
  if (size < leastAlignment)
    size = leastAlignment;
  unsigned power = 63 - (unsigned)__builtin_clzll(size);
  size_t step = (size_t)1 << (power - 2);
  size_t steps = (size - ((size_t)1 << power) + step - 1) / step;
  *capacity = ((size_t)1 << power) + steps * step;
  return power * 4 + (unsigned)steps;
}

static struct LhBlock *headOf(void *bytes) {
  return (struct LhBlock *)((char *)bytes - sizeof(struct LhBlock));
}

static void *takeFreed(struct LhArena *arena, unsigned list, size_t alignment) {
  for (struct LhBlock **at = &arena->freed[list]; *at; at = &(*at)->next)
    if ((*at)->alignment >= alignment) {
      struct LhBlock *block = *at;
      *at = block->next;
      return block + 1;
    }
  return NULL;
}

static void *allocateFresh(struct LhDevice *device, size_t capacity,
                           unsigned list, size_t alignment) {
  char *memory = lh_take(device, alignment, alignment + capacity);
  if (!memory)
    return NULL;
  struct LhBlock *block = headOf(memory + alignment);
  block->memory = memory;
  block->alignment = alignment;
  block->list = list;
  return block + 1;
}

static void *allocate(struct LhArena *arena, size_t size, size_t alignment) {
  size_t capacity;
  unsigned list = listOf(size, &capacity);
  pthread_mutex_lock(&arena->lock);
  void *bytes = takeFreed(arena, list, alignment);
  if (!bytes)
    bytes = allocateFresh(arena->device, capacity, list, alignment);
  if (bytes) {
    struct LhBlock *block = headOf(bytes);
    block->arena = arena;
    block->previous = NULL;
    block->next = arena->live;
    if (arena->live)
      arena->live->previous = block;
    arena->live = block;
  }
  pthread_mutex_unlock(&arena->lock);
  return bytes;
}

void *lh_arena_allocate(void *unused, int64_t size, int64_t alignment) {
  (void)unused;
  size_t align = alignment > leastAlignment ? (size_t)alignment : leastAlignment;
  void *bytes = size >= 0 && size < INT64_MAX / 4
                    ? allocate(mine ? mine : &common, (size_t)size, align)
                    : NULL;
  if (!bytes)
    lh_leave(lh_fail(LH_OUT_OF_MEMORY,
                     "there is no memory for %lld bytes that the model needs",
                     (long long)size));
  return bytes;
}

/* With the arena's lock held. */
static void putBack(struct LhBlock *block) {
  struct LhArena *arena = block->arena;
  if (block->previous)
    block->previous->next = block->next;
  else
    arena->live = block->next;
  if (block->next)
    block->next->previous = block->previous;
  block->next = arena->freed[block->list];
  arena->freed[block->list] = block;
}

void lh_arena_release(void *unused, void *bytes) {
  (void)unused;
  if (!bytes)
    return;
  struct LhArena *arena = headOf(bytes)->arena;
  pthread_mutex_lock(&arena->lock);
  putBack(headOf(bytes));
  pthread_mutex_unlock(&arena->lock);
}

void lh_arena_reclaim(struct LhArena *arena) {
  pthread_mutex_lock(&arena->lock);
  while (arena->live)
    putBack(arena->live);
  pthread_mutex_unlock(&arena->lock);
}

void lh_arena_free(struct LhArena *arena) {
  lh_arena_reclaim(arena);
  for (unsigned i = 0; i < LH_ARENA_LISTS; ++i)
    while (arena->freed[i]) {
      struct LhBlock *block = arena->freed[i];
      arena->freed[i] = block->next;
      lh_give(arena->device, block->memory);
    }
}
