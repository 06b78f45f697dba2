// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the LLVM dialect to code and to text.
#include "BackendTestSupport.h"

#include "runtime/Backends.h"

#include "mlir/IR/BuiltinOps.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace lh;
using Catch::Matchers::Contains;

static const char *const addOne = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %one : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
})";

static FailureOr<std::string> emit(EmitFormat format, const TargetSpec &target,
                                   CollectingSink &sink,
                                   const std::string &text = addOne) {
  LoweredModule lowered(text, lowerTensors());
  BackendRegistry backends = makeBackends(detectHost());
  return backends.find("cpu")->emit(lowered.module(), target, format,
                                    SourceSpan{"m.yaml", 3, 5}, sink);
}

static TargetSpec avx512Target() {
  TargetSpec target = hostTarget();
  target.triple = "x86_64-linux-gnu";
  target.cpu = "skylake-avx512";
  target.facts["vector_bits"] = {int64_t(512), {}};
  return target;
}

TEST_CASE("LLVM IR carries triple, layout and vector width", "[compile]") {
  CollectingSink sink;
  auto text = emit(EmitFormat::LlvmIr, avx512Target(), sink);
  REQUIRE(succeeded(text));
  CHECK_THAT(*text, Contains("target triple = \"x86_64-unknown-linux-gnu\"") &&
                        Contains("target datalayout = \"e-") &&
                        Contains("\"prefer-vector-width\"=\"512\""));
}

TEST_CASE("assembly is the target's own", "[compile]") {
  CollectingSink sink;
  TargetSpec target = hostTarget();
  target.triple = "aarch64-linux-gnu";
  target.cpu = "generic";
  auto text = emit(EmitFormat::Assembly, target, sink);
  REQUIRE(succeeded(text));
  CHECK_THAT(*text, Contains("fadd\ts"));
}

TEST_CASE("a mask of one lane stores one element", "[compile]") {
  CollectingSink sink;
  std::string store = R"(
llvm.func @lane(%x: vector<4xi32>, %to: !llvm.ptr) {
  %mask = llvm.mlir.constant(dense<[false, true, false, false]>
      : vector<4xi1>) : vector<4xi1>
  %bytes = llvm.trunc %x : vector<4xi32> to vector<4xi8>
  llvm.intr.masked.store %bytes, %to, %mask {alignment = 1 : i32}
      : vector<4xi8>, vector<4xi1> into !llvm.ptr
  llvm.return
})";
  auto text = emit(EmitFormat::Assembly, avx512Target(), sink, addOne + store);
  REQUIRE(succeeded(text));
  // LLVM's own writes four: vextractps $1, %xmm0, 1(%rdi).
  CHECK_THAT(*text, Contains("movb\t%al, 1(%rdi)"));
}

TEST_CASE("an object file is ELF", "[compile]") {
  CollectingSink sink;
  auto bytes = emit(EmitFormat::Object, avx512Target(), sink);
  REQUIRE(succeeded(bytes));
  CHECK(StringRef(*bytes).starts_with("\x7f"
                                      "ELF"));
}

TEST_CASE("formats that are not for CPUs, or not yet, are refused",
          "[compile]") {
  for (EmitFormat format : {EmitFormat::SharedLibrary, EmitFormat::Cubin}) {
    CollectingSink sink;
    CHECK(failed(emit(format, hostTarget(), sink)));
    CHECK_THAT(only(sink), Contains("[backend-emit-unsupported]"));
  }
}

/// Threads of this process; tests that ran before may have left some.
static std::ptrdiff_t countThreads() {
  std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

TEST_CASE("compiling starts no thread, so that a worker can fork",
          "[compile]") {
  CollectingSink sink;
  std::ptrdiff_t before = countThreads();
  REQUIRE(succeeded(compileText(addOne, lowerTensors(), sink)));
  CHECK(countThreads() == before);
}

TEST_CASE("ops that are not lowered are named, all of them", "[compile]") {
  CollectingSink sink;
  CHECK(failed(compileText(
      addOne,
      "one-shot-bufferize{bufferize-function-boundaries "
      "function-boundary-type-conversion=identity-layout-map},lh-entry-abi",
      sink)));
  CHECK_THAT(only(sink), Contains("[backend-not-lowered]") &&
                             Contains("'func.func', 'func.return'") &&
                             Contains("'linalg.generic'"));
}

TEST_CASE("a target that can't run here isn't compiled", "[compile]") {
  TargetSpec target = hostTarget();
  bool arm = detectHost().arch == "aarch64";
  target.triple = arm ? "x86_64-linux-gnu" : "aarch64-linux-gnu";
  target.cpu = arm ? "x86-64" : "generic";
  CollectingSink sink;
  CHECK(failed(compileText(addOne, lowerTensors(), sink, target)));
  CHECK_THAT(only(sink), Contains("[backend-unavailable]"));
}

/// Compiles an entry that calls `function`, which it declares in line 3.
static std::string complaintOfCalling(StringRef function) {
  CollectingSink sink;
  std::string text = R"(
    func.func private @)" +
                     function.str() + R"((f32) -> f32
    func.func @main(%x: memref<f32>) {
      %a = memref.load %x[] : memref<f32>
      %b = func.call @)" +
                     function.str() + R"((%a) : (f32) -> f32
      memref.store %b, %x[] : memref<f32>
      return
    })";
  CHECK(failed(
      compileText(text, std::string("lh-entry-abi,") + lowerMemRefs, sink)));
  CHECK(sink.diagnostics()[0].where.line == 3);
  return only(sink);
}

TEST_CASE("generated code calls what is listed, and nothing else",
          "[compile]") {
  for (const char *name :
       {"system", "dlopen", "execve", "open", "puts_", "lh_no_such_function"})
    CHECK_THAT(complaintOfCalling(name),
               Contains("[backend-forbidden-symbol]") &&
                   Contains("calls '" + std::string(name) + "'") &&
                   Contains("libm's functions, "));
}

TEST_CASE("a listed symbol that nothing here has is named", "[compile]") {
  CHECK_THAT(complaintOfCalling("__kmpc_no_such_function"),
             Contains("[backend-unresolved-symbol]") &&
                 Contains("'__kmpc_no_such_function'"));
}

TEST_CASE("what MLIR can't translate is its own message", "[compile]") {
  CollectingSink sink;
  CHECK(failed(compileText(R"(
    module attributes {lh.abi = {main = {convention = "out-params", args = [], results = []}}} {
      llvm.func @main() {
        %0 = builtin.unrealized_conversion_cast to index
        llvm.return
      }
    })",
                           "", sink)));
  CHECK_THAT(only(sink), Contains("[backend-compile-failed]") &&
                             Contains("unrealized_conversion_cast"));
}

TEST_CASE("an entry whose signature changed after lh-entry-abi is refused",
          "[compile]") {
  auto complaint = [](StringRef body) {
    CollectingSink sink;
    CHECK(failed(compileText(
        (R"(module attributes {lh.abi = {main = {convention = "out-params", args = [], results = []}}} {)" +
         body + "}")
            .str(),
        "", sink)));
    return only(sink);
  };
  CHECK_THAT(complaint(""), Contains("no C interface"));
  CHECK_THAT(complaint("llvm.func @_mlir_ciface_main(%x: !llvm.ptr) "
                       "{ llvm.return }"),
             Contains("[backend-malformed-abi]") &&
                 Contains("takes 1 buffers, 'lh.abi' says 0"));
}

/// A vector's exponential, where code may call functions of this library.
static std::string exponential(StringRef library, unsigned lanes) {
  std::string vector = "vector<" + std::to_string(lanes) + "xf32>";
  return "module attributes {lh.vector_library = \"" + library.str() +
         "\"} {\nllvm.func @f(%p: !llvm.ptr) {\n"
         "%v = llvm.load %p : !llvm.ptr -> " +
         vector + "\n%e = llvm.intr.exp(%v) : (" + vector + ") -> " + vector +
         "\nllvm.store %e, %p : " + vector + ", !llvm.ptr\nllvm.return\n}\n}";
}

TEST_CASE("functions of vectors are calls of the library that a module names",
          "[compile]") {
  CollectingSink sink;
  TargetSpec wide = avx512Target(), narrow = avx512Target();
  narrow.cpu = "haswell";
  narrow.facts["vector_bits"] = {int64_t(256), {}};
  auto assembly = [&](const TargetSpec &target, StringRef library,
                      unsigned lanes) {
    auto text =
        emit(EmitFormat::Assembly, target, sink, exponential(library, lanes));
    REQUIRE(succeeded(text));
    return *text;
  };
  CHECK_THAT(assembly(wide, "LIBMVEC", 16), Contains("_ZGVeN16v_expf"));
  CHECK_THAT(assembly(wide, "LIBMVEC", 8), Contains("_ZGVdN8v_expf"));
  CHECK_THAT(assembly(narrow, "LIBMVEC", 8), Contains("_ZGVdN8v_expf"));
  // A function for AVX-512 would be an illegal instruction there.
  CHECK_THAT(assembly(narrow, "LIBMVEC", 16), !Contains("_ZGV"));
  CHECK_THAT(assembly(wide, "none", 16), !Contains("_ZGV") && Contains("expf"));
}

TEST_CASE("a library that code may not call is told", "[compile]") {
  CollectingSink sink;
  TargetSpec arm = hostTarget();
  arm.triple = "aarch64-linux-gnu";
  arm.cpu = "generic";
  CHECK(failed(emit(EmitFormat::Assembly, avx512Target(), sink,
                    exponential("SVML", 16))));
  CHECK(
      failed(emit(EmitFormat::Assembly, arm, sink, exponential("LIBMVEC", 4))));
  REQUIRE(sink.diagnostics().size() == 2);
  CHECK_THAT(sink.diagnostics()[0].message, Contains("'SVML'") &&
                                                Contains("no other library") &&
                                                Contains("'LIBMVEC'"));
  CHECK_THAT(sink.diagnostics()[1].message, Contains("on x86"));
}
