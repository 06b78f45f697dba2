// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code for a GPU, and the weights that it works on.
#ifndef LH_RUNTIME_GPU_GPUEXECUTABLE_H
#define LH_RUNTIME_GPU_GPUEXECUTABLE_H

#include "runtime/abi/Backend.h"
#include "runtime/gpu/DeviceProgram.h"

namespace lh {

/// `program`'s entries are the packed entry of `abi` and, if there is one, of
/// `@prepare`. The device is opened at the first run, in the process that
/// does it.
std::unique_ptr<Executable>
makeGpuExecutable(ModuleAbi abi, std::unique_ptr<DeviceProgram> program,
                  SourceSpan where);

} // namespace lh

#endif // LH_RUNTIME_GPU_GPUEXECUTABLE_H
