// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* The runner's parts. */
#ifndef LH_RUNNER_H
#define LH_RUNNER_H

#include "runtime/emulated/Job.h"

#include <stddef.h>

/* The job at hand; the outcome is written into it. */
extern struct LhJob *job;

/* Notes what went wrong and ends the process. */
_Noreturn void fail(enum LhProblem problem, const char *format, ...);

/* What lies there in the job. */
void *at(uint64_t offset);

/* A built library that is called in place of packed functions. Its results, as
   descriptors without strides, are good until the next call. */
struct BuiltLibrary;
struct BuiltLibrary *openBuilt(void *library, const char *name,
                               const struct LhCall *call);
void callBuilt(struct BuiltLibrary *built, const struct LhCall *call);
void describeBuilt(const struct BuiltLibrary *built, size_t output,
                   int64_t *descriptor);

/* Memory for compiled code: blocks between fences while `poisoning`. */
void setPoisoning(int on);
void *lh_arena_allocate(void *arena, int64_t size, int64_t alignment);
void lh_arena_release(void *arena, void *block);
int arenaOwns(const void *block);
/* Takes every live block back and notes what the code left and damaged. */
void reclaimArena(void);

/* Bits of a scalable vector register as this process sees it, in streaming mode
   or outside of it; 0: none. */
int64_t vectorBits(int streaming);

/* Does what the instruction says at which SIGILL found the process, given the
   signal's ucontext_t. 0: it isn't one that this runner knows. */
int carryOut(void *context);

/* Tells the emulator's plugin, if there is one, to count the code of `library`;
   then, to begin anew. */
void countInstructions(void *library);
void forgetCounts(void);

#endif
