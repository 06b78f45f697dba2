// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What host code that drives a GPU needs before it is compiled.
#ifndef LH_RUNTIME_GPU_HOSTCODE_H
#define LH_RUNTIME_GPU_HOSTCODE_H

#include <string>

namespace llvm {
class Module;
} // namespace llvm

namespace lh {

/// The function that must be called before any entry: it loads the kernels
/// and copies constants to the device. Called like an entry, with no argument.
std::string setUpName();

/// Puts what `llvm.global_ctors` lists into that function, since loaded objects
/// run no constructors by themselves, and drops `llvm.global_dtors`: a device
/// frees what it holds when it is closed. Constant tensors, which a GPU can't
/// read in the host's memory, are reached through copies that
/// `lh_device_constant` makes.
void prepareHostCode(llvm::Module &module);

} // namespace lh

#endif // LH_RUNTIME_GPU_HOSTCODE_H
