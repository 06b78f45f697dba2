// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entered from instrumented code, on a thread's own stack.
#include "runtime/sim/Runtime.h"

#include "runtime/sim/Block.h"

using namespace lh;

static void doOperation(const SimSite *site, char *frame) {
  SimBlock &block = *SimBlock::current();
  SimThread &thread = block.running();
  thread.call = {site, frame};
  if (site->operation->reach == SimOperation::Reach::Thread)
    site->operation->thread(thread, thread.call);
  else
    block.suspend(SimThread::State::AtCollective);
  if (block.hasFailed())
    block.abandon();
}

static void checkRange(const SimSite *site, void *address, uint64_t bytes,
                       bool writes) {
  SimBlock &block = *SimBlock::current();
  if (bytes && !block.touch(block.running(), *site, address, bytes,
                            writes ? SimTouch::Write : SimTouch::Read))
    block.abandon();
}

static void checkAccess(const SimSite *site, void *address) {
  SimBlock &block = *SimBlock::current();
  SimThread &thread = block.running();
  SimTouch how = site->atomic   ? SimTouch::Atomic
                 : site->writes ? SimTouch::Write
                                : SimTouch::Read;
  if ((reinterpret_cast<uintptr_t>(address) & (site->alignment - 1)) &&
      !block.isAligned(thread, *site, address, site->alignment))
    block.abandon();
  if (!block.touch(thread, *site, address, site->bytes, how))
    block.abandon();
}

static void checkMasked(const SimSite *site, char *address, uint64_t mask) {
  for (; mask; mask >>= 1, address += site->bytes)
    if (mask & 1)
      checkAccess(site, address);
}

static char *sharedBase() { return SimBlock::current()->shared().base(); }
static int64_t *fuel() { return SimBlock::current()->fuel(); }

static void starve(const SimSite *site) {
  SimBlock &block = *SimBlock::current();
  if (block.starve())
    return;
  block.fail(DiagKind::BackendDeadlock, &block.running(), site,
             "a loop that doesn't end");
  block.abandon();
}

static void trap(const SimSite *site) {
  SimBlock &block = *SimBlock::current();
  block.fail(DiagKind::BackendDeviceFault, &block.running(), site,
             "the kernel ends itself with a trap");
  block.abandon();
}

template <typename Function>
static RuntimeSymbol symbol(StringRef name, Function *function) {
  return {name, reinterpret_cast<void *>(function)};
}

std::vector<RuntimeSymbol> lh::simRuntimeSymbols() {
  std::vector<RuntimeSymbol> symbols = {symbol(simOperationName, doOperation),
                                        symbol(simAccessName, checkAccess),
                                        symbol(simRangeName, checkRange),
                                        symbol(simSharedName, sharedBase),
                                        symbol(simFuelName, fuel),
                                        symbol(simStarvedName, starve),
                                        symbol(simTrapName, trap),
                                        symbol(simMaskedName, checkMasked)};
  for (const RuntimeSymbol &each : runtimeSymbols())
    symbols.push_back(each);
  return symbols;
}
