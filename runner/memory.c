// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The allocator of compiled code: fences, poison, free lists. */
#include "lh-runner.h"

#include <stdlib.h>
#include <string.h>

enum { fenceBytes = 1024, minAlignment = 64, listCount = 1024 };

/* What stands before each block, at the end of its front fence's padding. */
struct Block {
  struct Block *next;
  char *memory;     /* what the block's bytes begin at */
  size_t requested; /* bytes the code asked for */
  size_t capacity;  /* bytes there are, fences not counted */
  size_t alignment;
  int fenced;
};

static struct Block *live[listCount];
static struct Block *freed;
static size_t inUse;
static int poisoning;

void setPoisoning(int on) { poisoning = on; }

static size_t listOf(const void *memory) {
  return ((uintptr_t)memory >> 6) % listCount;
}

/* As in engine/runtime/abi/Poison.cpp. */
static char patternAt(size_t i) {
  if (!job->poison)
    return i % 2 ? 0x7F : (char)0xF9;
  if (i % 4 < 2)
    return 0;
  return __builtin_parityll(i / 8) ? (char)0xDC : 0x5C;
}

/* The bits that are any NaN's own follow from the address, so that a copy of
   one fence onto another is noticed. */
static char fenceAt(const char *fence, size_t i) {
  if (i % 2)
    return patternAt(i);
  uint64_t mixed = (uint64_t)(uintptr_t)(fence + i) * 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93u;
  return (char)((patternAt(i) & ~7) | (char)(mixed >> 61));
}

static void raiseFence(char *fence) {
  for (size_t i = 0; i < fenceBytes; ++i)
    fence[i] = fenceAt(fence, i);
}

static int fenceStands(const char *fence) {
  for (size_t i = 0; i < fenceBytes; ++i)
    if (fence[i] != fenceAt(fence, i))
      return 0;
  return 1;
}

static struct Block *takeFreed(size_t size, size_t alignment) {
  for (struct Block **at = &freed; *at; at = &(*at)->next) {
    struct Block *block = *at;
    if (block->capacity < size || block->capacity > 2 * size + minAlignment ||
        block->alignment < alignment)
      continue;
    *at = block->next;
    return block;
  }
  return NULL;
}

static struct Block *allocateFresh(size_t size, size_t alignment) {
  struct Block *block = malloc(sizeof *block);
  size_t front = alignment > fenceBytes ? alignment : fenceBytes;
  size_t total = front + size + fenceBytes;
  total = (total + alignment - 1) / alignment * alignment;
  char *memory = block ? aligned_alloc(alignment, total) : NULL;
  if (!memory)
    fail(LH_NO_MEMORY, "%zu", size);
  block->memory = memory + front;
  block->capacity = size;
  block->alignment = alignment;
  ++job->freshBlocks;
  return block;
}

void *lh_arena_allocate(void *arena, int64_t size, int64_t alignment) {
  (void)arena;
  size_t bytes = (size_t)size;
  size_t align = alignment > minAlignment ? (size_t)alignment : minAlignment;
  if (bytes > SIZE_MAX / 4 ||
      (job->mostBytes && inUse + bytes > job->mostBytes))
    fail(LH_NO_MEMORY, "%zu", bytes);
  struct Block *block = takeFreed(bytes, align);
  if (!block)
    block = allocateFresh(bytes, align);
  block->requested = bytes;
  block->fenced = poisoning;
  struct Block **list = &live[listOf(block->memory)];
  block->next = *list;
  *list = block;
  inUse += bytes;
  if (inUse > job->peakBytes)
    job->peakBytes = inUse;
  if (poisoning) {
    for (size_t i = 0; i < bytes; ++i)
      block->memory[i] = patternAt(i);
    raiseFence(block->memory - fenceBytes);
    raiseFence(block->memory + bytes);
  }
  return block->memory;
}

static struct Block **find(const void *memory) {
  struct Block **at = &live[listOf(memory)];
  while (*at && (*at)->memory != memory)
    at = &(*at)->next;
  return at;
}

/* A block's fences are looked at a last time. */
static void putBack(struct Block **at) {
  struct Block *block = *at;
  if (block->fenced && !(fenceStands(block->memory - fenceBytes) &&
                         fenceStands(block->memory + block->requested)))
    job->damagedBytes = block->requested + 1;
  inUse -= block->requested;
  *at = block->next;
  block->next = freed;
  freed = block;
}

void lh_arena_release(void *arena, void *memory) {
  (void)arena;
  if (!memory)
    return;
  struct Block **at = find(memory);
  if (!*at)
    fail(LH_BAD_FREE, "");
  putBack(at);
}

int arenaOwns(const void *memory) { return *find(memory) != NULL; }

void reclaimArena(void) {
  uint64_t blocks = 0, bytes = inUse;
  for (size_t i = 0; i < listCount; ++i)
    for (; live[i]; ++blocks)
      putBack(&live[i]);
  if (blocks && !job->leakedBlocks) {
    job->leakedBlocks = blocks;
    job->leakedBytes = bytes;
  }
}
