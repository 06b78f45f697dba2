// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where host code waits for the device: text in, calls counted.
#include "runtime/gpu/HostWaits.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <catch2/catch.hpp>

#include <string>

using namespace llvm;

/// What @f does, in order: "wait", the names of the functions it calls, "load"
/// and "store".
static std::string eventsOf(const std::string &body) {
  std::string text = "declare void @mgpuLaunchKernel(ptr)\n"
                     "declare void @elsewhere(ptr)\n"
                     "declare double @exp(double) memory(none)\n"
                     "@image = internal constant [4 x i8] c\"code\"\n"
                     "define void @f(ptr %in, ptr %out) {\n" +
                     body + "  ret void\n}\n";
  LLVMContext context;
  SMDiagnostic error;
  std::unique_ptr<Module> module = parseAssemblyString(text, error, context);
  INFO(error.getMessage().str());
  REQUIRE(module);
  lh::placeWaits(*module);
  std::string events;
  for (const Instruction &each : instructions(*module->getFunction("f"))) {
    if (const auto *call = dyn_cast<CallBase>(&each)) {
      StringRef name = call->getCalledFunction()->getName();
      events += (name == "lh_device_wait" ? "wait" : name.str()) + " ";
    }
    events += isa<LoadInst>(each)    ? "load "
              : isa<StoreInst>(each) ? "store "
                                     : "";
  }
  return events;
}

TEST_CASE("launches follow each other without the host", "[gpu]") {
  CHECK(eventsOf("  call void @mgpuLaunchKernel(ptr %in)\n"
                 "  call void @mgpuLaunchKernel(ptr %out)\n") ==
        "mgpuLaunchKernel mgpuLaunchKernel ");
}

TEST_CASE("arguments and descriptors on the stack need no wait", "[gpu]") {
  CHECK(eventsOf("  %slot = alloca [2 x ptr]\n"
                 "  %second = getelementptr ptr, ptr %slot, i64 1\n"
                 "  store ptr %in, ptr %second\n"
                 "  %code = load i8, ptr @image\n"
                 "  call void @mgpuLaunchKernel(ptr %slot)\n") ==
        "store load mgpuLaunchKernel ");
}

TEST_CASE("what the host reads and writes itself is waited for", "[gpu]") {
  CHECK(eventsOf("  call void @mgpuLaunchKernel(ptr %in)\n"
                 "  %x = load double, ptr %in\n"
                 "  %y = call double @exp(double %x)\n"
                 "  store double %y, ptr %out\n") ==
        "mgpuLaunchKernel wait load exp wait store ");
  CHECK(eventsOf("  call void @elsewhere(ptr %in)\n") == "wait elsewhere ");
  CHECK(
      eventsOf("  call void @llvm.memset(ptr %in, i8 0, i64 8, i1 false)\n") ==
      "wait llvm.memset.p0.i64 ");
}

TEST_CASE("a copy between the device's blocks is the device's", "[gpu]") {
  CHECK(
      eventsOf("  call void @llvm.memcpy(ptr %out, ptr %in, i64 8, i1 0)\n") ==
      "mgpuMemcpy ");
  CHECK(eventsOf("  %x = alloca i64\n"
                 "  call void @llvm.memcpy(ptr %x, ptr %in, i64 8, i1 0)\n") ==
        "wait llvm.memcpy.p0.p0.i64 ");
}
