// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM IR to a launched kernel.
#include "SimTestSupport.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string take(CollectingSink &sink) {
  std::string text;
  for (const Diagnostic &each : sink.take())
    text += (text.empty() ? "[" : "; [") + kindName(each.kind).str() + "] " +
            each.message;
  return text;
}

std::string lh::nvptxKernel(StringRef parameters, const Twine &body,
                            StringRef globals) {
  return ("target datalayout = \"e-p6:32:32-i64:64-i128:128-i256:256-v16:16-"
          "v32:32-n16:32:64\"\n"
          "target triple = \"nvptx64-nvidia-cuda\"\n" +
          globals + "\ndefine ptx_kernel void @k(" + parameters + ") {\n" +
          body + "\n}\n")
      .str();
}

std::string lh::perThread(const Twine &body, StringRef globals) {
  return nvptxKernel("ptr addrspace(1) %out",
                     "%i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
                     "%mine = getelementptr i32, ptr addrspace(1) %out, i32 "
                     "%i\n" +
                         body,
                     globals);
}

std::string lh::amdgcnKernel(StringRef parameters, const Twine &body,
                             StringRef globals) {
  return ("target datalayout = \"e-m:e-p:64:64-p1:64:64-p2:32:32-p3:32:32-"
          "p4:64:64-p5:32:32-p6:32:32-p7:160:256:256:32-p8:128:128:128:48-"
          "p9:192:256:256:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-"
          "v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-"
          "ni:7:8:9\"\n"
          "target triple = \"amdgcn-amd-amdhsa\"\n" +
          globals + "\ndefine amdgpu_kernel void @k(" + parameters + ") {\n" +
          body + "\n}\n")
      .str();
}

std::string lh::spirvKernel(StringRef parameters, const Twine &body,
                            unsigned lanes, StringRef globals) {
  return ("target datalayout = \"e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-"
          "v192:256-v256:256-v512:512-v1024:1024-n8:16:32:64-G1\"\n"
          "target triple = \"spirv64-unknown-unknown\"\n" +
          globals +
          "\ndeclare spir_func i64 @_Z12get_local_idj(i32)\n"
          "declare spir_func void @_Z7barrierj(i32) convergent\n"
          "define spir_kernel void @k(" +
          parameters +
          ") !intel_reqd_sub_group_size !0 {\n"
          "%id = call spir_func i64 @_Z12get_local_idj(i32 0)\n"
          "%lane = trunc i64 %id to i32\n" +
          body + "\n}\n!0 = !{i32 " + Twine(lanes) + "}\n")
      .str();
}

std::string lh::assemble(StringRef text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssemblyString(text, error, context);
  INFO(error.getMessage().str() + ": " + error.getLineContents().str());
  REQUIRE(module);
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(*module, stream);
  return bytes;
}

SimFixture::SimFixture(StringRef text, StringRef chip, uint64_t seed,
                       unsigned workers)
    : opened(openSimulatedDevice({chip.str(), seed, workers}, SourceSpan{},
                                 sink)) {
  REQUIRE(opened);
  auto loaded = opened->load(assemble(text), sink);
  if (succeeded(loaded))
    module = *loaded;
  problem = take(sink);
}

void *SimFixture::allocate(size_t bytes) {
  void *block = opened->allocate(bytes, sink);
  REQUIRE(block);
  return block;
}

std::string SimFixture::launch(const LaunchShape &shape,
                               std::vector<void *> pointers) {
  INFO(problem);
  REQUIRE(module);
  auto kernel = opened->findKernel(module, "k", sink);
  REQUIRE(succeeded(kernel));
  std::vector<void *> arguments;
  for (void *&pointer : pointers)
    arguments.push_back(&pointer);
  if (succeeded(opened->launch(*kernel, shape, arguments.data(), sink)))
    (void)opened->synchronize(sink);
  return take(sink);
}

std::string SimFixture::launch(unsigned threads, std::vector<void *> pointers) {
  LaunchShape shape;
  shape.block = {threads, 1, 1};
  return launch(shape, std::move(pointers));
}

std::string lh::firstFinding(StringRef text, unsigned threads, size_t words,
                             StringRef chip) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    SimFixture fixture(text, chip, seed);
    std::string found =
        fixture.launch(threads, {fixture.zeros<uint32_t>(words)});
    if (!found.empty())
      return found;
  }
  return "";
}
