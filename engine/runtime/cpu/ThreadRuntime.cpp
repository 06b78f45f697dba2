// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one file that knows the runtime's name.
#include "runtime/cpu/ThreadRuntime.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/DynamicLibrary.h"

#include <cstdlib>

using namespace lh;

std::string lh::openThreadRuntime() {
  // How long, in milliseconds, a thread without work looks out for more before
  // it sleeps. The runtime's own 200 would take a core from whatever runs next;
  // with 1 it slept within a call: MobileNetV2 took 7.6 ms instead of 5.6.
  setenv("KMP_BLOCKTIME", "10", /*overwrite=*/0);
  for (const char *name : {LH_LLVM_LIBRARY_DIR "/libomp.so.5", "libomp.so.5"})
    if (!llvm::sys::DynamicLibrary::LoadLibraryPermanently(name))
      return "";
  return "it shares loops between threads, and LLVM's OpenMP runtime "
         "(libomp.so.5) isn't here; the package libomp-22-dev brings it";
}

bool lh::callsThreadRuntime(const llvm::Module &module) {
  return llvm::any_of(module, [](const llvm::Function &function) {
    return function.getName().starts_with("__kmpc_");
  });
}
