// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, "Data Movement and Conversion Instructions: Asynchronous copy".
#include "runtime/sim/AsyncCopies.h"

#include "runtime/sim/Block.h"
#include "runtime/sim/OperationFamilies.h"

using namespace lh;

static SimOperation startCopy(uint32_t bytes) {
  return SimOperation::ofThread([=](SimThread &thread, const SimCall &call) {
    SimAsyncCopies::Copy copy{call.get<char *>(0), call.get<const char *>(1),
                              bytes, bytes};
    if (call.argumentCount() > 2)
      copy.valid = std::min(call.get<uint32_t>(2), bytes);
    SimBlock &block = *thread.block;
    if (!block.isAligned(thread, *call.site, copy.to, bytes) ||
        !block.isAligned(thread, *call.site, copy.from, bytes))
      return;
    if (copy.valid &&
        !block.touch(thread, *call.site, copy.from, copy.valid, SimTouch::Read))
      return;
    if (block.touch(thread, *call.site, copy.to, bytes, SimTouch::CopyStart))
      thread.copies.add(copy);
  });
}

/// The data arrives as late as it may.
static void finish(SimThread &thread, ArrayRef<SimAsyncCopies::Copy> copies) {
  SimBlock &block = *thread.block;
  for (const SimAsyncCopies::Copy &copy : copies) {
    std::memcpy(copy.to, copy.from, copy.valid);
    std::memset(copy.to + copy.valid, 0, copy.bytes - copy.valid);
    block.shared().land(copy.to, copy.bytes, block.clocks().now(thread.index));
  }
}

static void waitForCopies(SimThread &thread, size_t atMost) {
  while (auto copies = thread.copies.retire(atMost))
    finish(thread, *copies);
}

std::optional<SimOperation> lh::findAsyncCopy(const SimOperationName &name,
                                              const SimChip &chip) {
  StringRef text = name.name;
  if (!text.consume_front("llvm.nvvm.cp.async.") || chip.version < 80)
    return std::nullopt;
  if (text == "commit.group")
    return SimOperation::ofThread(
        [](SimThread &thread, const SimCall &) { thread.copies.commit(); });
  if (text == "wait.group")
    return SimOperation::ofThread([](SimThread &thread, const SimCall &call) {
      waitForCopies(thread, call.get<uint32_t>(0));
    });
  if (text == "wait.all")
    return SimOperation::ofThread([](SimThread &thread, const SimCall &) {
      thread.copies.commit();
      waitForCopies(thread, 0);
    });
  bool cached = text.consume_front("ca.shared.global.");
  if (!cached && !text.consume_front("cg.shared.global."))
    return std::nullopt;
  text.consume_back(".s");
  uint32_t bytes = 0;
  if (text.getAsInteger(10, bytes) ||
      !(bytes == 16 || (cached && (bytes == 4 || bytes == 8))))
    return std::nullopt;
  return startCopy(bytes);
}
