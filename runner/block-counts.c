// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/* Counts how often each piece of compiled code runs: a plugin of QEMU's user
   emulators, which lh-run gives to them as
     -plugin lh-block-counts.so,counts=DESCRIPTOR
   with memory (engine/runtime/emulated/BlockCounts.h) behind the descriptor, in
   which the runner says where the code lies before it calls it. */
#include "runtime/emulated/BlockCounts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Version 1 of the interface for plugins, whose header is in no package. */
typedef uint64_t PluginId;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
enum { INLINE_ADD = 0 };
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *
qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);
void qemu_plugin_register_vcpu_tb_trans_cb(
    PluginId id, void (*translated)(PluginId, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block,
                                              int operation, void *counter,
                                              uint64_t amount);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static struct LhBlockCounts *counts;

/* Places of blocks by address, one more than the index; 0: free. */
enum { placeCount = 4 * LH_COUNTS_BLOCKS };
static uint32_t places[placeCount];

static struct LhBlock *addBlock(const struct qemu_plugin_tb *piece,
                                uint64_t address, uint64_t bytes) {
  if (counts->blockCount == LH_COUNTS_BLOCKS ||
      counts->codeBytes + bytes > LH_COUNTS_CODE) {
    counts->isFull = 1;
    return NULL;
  }
  struct LhBlock *block = &counts->blocks[counts->blockCount++];
  *block = (struct LhBlock){address, bytes, counts->codeBytes, 0};
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(piece); ++i) {
    const struct qemu_plugin_insn *one = qemu_plugin_tb_get_insn(piece, i);
    memcpy(counts->code + counts->codeBytes, qemu_plugin_insn_data(one),
           qemu_plugin_insn_size(one));
    counts->codeBytes += qemu_plugin_insn_size(one);
  }
  return block;
}

/* A piece may be translated more than once: it keeps its counter. */
static struct LhBlock *blockFor(const struct qemu_plugin_tb *piece,
                                uint64_t address) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(piece); ++i)
    bytes += qemu_plugin_insn_size(qemu_plugin_tb_get_insn(piece, i));
  size_t place = (address / 2 * 0x9e3779b97f4a7c15ULL >> 20) % placeCount;
  for (; places[place] != 0; place = (place + 1) % placeCount) {
    struct LhBlock *known = &counts->blocks[places[place] - 1];
    if (known->address == address && known->bytes == bytes)
      return known;
  }
  struct LhBlock *block = addBlock(piece, address, bytes);
  if (block)
    places[place] = (uint32_t)(block - counts->blocks) + 1;
  return block;
}

static void translated(PluginId id, struct qemu_plugin_tb *piece) {
  (void)id;
  uint64_t address = qemu_plugin_tb_vaddr(piece);
  if (address < counts->begin || address >= counts->end)
    return;
  struct LhBlock *block = blockFor(piece, address);
  if (block)
    qemu_plugin_register_vcpu_tb_exec_inline(piece, INLINE_ADD, &block->count,
                                             1);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(PluginId id, const void *emulator, int count,
                    char **words) {
  (void)emulator;
  static const char flag[] = "counts=";
  if (count != 1 || strncmp(words[0], flag, sizeof flag - 1) != 0)
    return 1;
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED,
                atoi(words[0] + sizeof flag - 1), 0);
  if (counts == MAP_FAILED || counts->version != LH_COUNTS_VERSION)
    return 1;
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
