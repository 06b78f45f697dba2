// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Context switches: the registers that a call preserves, and the stack.
#include "runtime/sim/Fiber.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <cstdlib>

using namespace lh;

static constexpr size_t guardBytes = 4096;

#if defined(__x86_64__)
// Pushed last to first: r15 r14 r13 r12 rbx rbp, then the return address.
asm(R"(
.text
.globl lh_fiber_switch
.type lh_fiber_switch, @function
lh_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
.globl lh_fiber_resume
lh_fiber_resume:
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size lh_fiber_switch, .-lh_fiber_switch
.globl lh_fiber_begin
.type lh_fiber_begin, @function
lh_fiber_begin:
  movq %r12, %rdi
  call *%r13
  ud2
.size lh_fiber_begin, .-lh_fiber_begin
)");
// At lh_fiber_begin's call the stack is aligned to 16 bytes.
static constexpr size_t savedWords = 6, functionWord = 2, argumentWord = 3,
                        returnWord = 6, frameWords = 11;
#elif defined(__aarch64__)
asm(R"(
.text
.globl lh_fiber_switch
.type lh_fiber_switch, %function
lh_fiber_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
.globl lh_fiber_resume
lh_fiber_resume:
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size lh_fiber_switch, .-lh_fiber_switch
.globl lh_fiber_begin
.type lh_fiber_begin, %function
lh_fiber_begin:
  mov x0, x19
  blr x20
  brk #0
.size lh_fiber_begin, .-lh_fiber_begin
)");
static constexpr size_t savedWords = 20, functionWord = 1, argumentWord = 0,
                        returnWord = 11, frameWords = 24;
#else
#error "fibers are written for x86-64 and AArch64"
#endif

extern "C" void lh_fiber_resume();
extern "C" void lh_fiber_begin();

FiberStacks::FiberStacks(size_t bytes) : bytes(bytes) {}

FiberStacks::~FiberStacks() {
  for (char *top : all)
    munmap(top - bytes - guardBytes, bytes + guardBytes);
}

char *FiberStacks::acquire() {
  if (!idle.empty()) {
    char *top = idle.back();
    idle.pop_back();
    return top;
  }
  void *block = mmap(nullptr, bytes + guardBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (block == MAP_FAILED || mprotect(block, guardBytes, PROT_NONE) != 0)
    std::abort();
  char *top = static_cast<char *>(block) + guardBytes + bytes;
  all.push_back(top);
  return top;
}

bool FiberStacks::isGuard(const void *address) const {
  const char *at = static_cast<const char *>(address);
  for (const char *top : all)
    if (at < top - bytes && at >= top - bytes - guardBytes)
      return true;
  return false;
}

FiberState lh::makeFiber(char *stackTop, void (*run)(void *), void *argument) {
  void **words = reinterpret_cast<void **>(stackTop) - frameWords;
  for (size_t i = 0; i < savedWords; ++i)
    words[i] = nullptr;
  words[functionWord] = reinterpret_cast<void *>(run);
  words[argumentWord] = argument;
  words[returnWord] = reinterpret_cast<void *>(lh_fiber_begin);
  return words;
}

void lh::redirectSignal(void *context, FiberState there) {
  auto *interrupted = static_cast<ucontext_t *>(context);
#if defined(__x86_64__)
  interrupted->uc_mcontext.gregs[REG_RSP] = reinterpret_cast<greg_t>(there);
  interrupted->uc_mcontext.gregs[REG_RIP] =
      reinterpret_cast<greg_t>(lh_fiber_resume);
#else
  interrupted->uc_mcontext.sp = reinterpret_cast<uintptr_t>(there);
  interrupted->uc_mcontext.pc = reinterpret_cast<uintptr_t>(lh_fiber_resume);
#endif
}
