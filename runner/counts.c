// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Says which code is to be counted, where an emulator counts. */
#define _GNU_SOURCE
#include "lh-runner.h"

#include "runtime/emulated/BlockCounts.h"

#include <link.h>
#include <stddef.h>
#include <sys/mman.h>

static struct LhBlockCounts *counts;

/* Notes where the library's code lies, if this object is the library. */
static int noteCode(struct dl_phdr_info *object, size_t size, void *library) {
  (void)size;
  if (object->dlpi_addr != ((struct link_map *)library)->l_addr)
    return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
      continue;
    counts->begin = object->dlpi_addr + part->p_vaddr;
    counts->end = counts->begin + part->p_memsz;
  }
  return 1;
}

void countInstructions(void *library) {
  if (job->counts == 0)
    return;
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED,
                (int)job->counts, 0);
  if (counts == MAP_FAILED)
    fail(LH_NO_MEMORY, "%zu", sizeof *counts);
  counts->vectorBits = job->vectorBits;
  dl_iterate_phdr(noteCode, library);
}

void forgetCounts(void) {
  for (uint64_t i = 0; counts && i < counts->blockCount; ++i)
    counts->blocks[i].count = 0;
}
