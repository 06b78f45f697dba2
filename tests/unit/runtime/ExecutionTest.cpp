// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running compiled code.
#include "BackendTestSupport.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lh;
using Catch::Matchers::Contains;

static std::string elementwise(StringRef shape, StringRef dims,
                               StringRef type = "f32") {
  std::string tensor = ("tensor<" + shape + type + ">").str();
  return "func.func @main(%x: " + tensor + " {lh.name = \"x\"}) -> (" + tensor +
         " {lh.name = \"y\"}) {\n" + dims.str() + R"( : )" + tensor + R"(
  %r = linalg.map ins(%x : )" +
         tensor + ") outs(%e : " + tensor + ") (%a: " + type.str() +
         ", %o: " + type.str() + R"() {
    %s = arith.addf %a, %a : )" +
         type.str() + R"(
    linalg.yield %s : )" +
         type.str() + R"(
  }
  return %r : )" +
         tensor + "\n}";
}

static FailureOr<RunOutput> runOn(Executable &executable,
                                  std::vector<NamedTensor> inputs,
                                  CollectingSink &sink,
                                  RunOptions options = {}) {
  options.where = SourceSpan{"m.yaml", 7, 3};
  return executable.run(inputs, options, sink);
}

static std::vector<NamedTensor> one(NamedTensor tensor) {
  std::vector<NamedTensor> list;
  list.push_back(std::move(tensor));
  return list;
}

TEST_CASE("static results are written to the caller's buffers", "[run]") {
  auto executable =
      load(elementwise("2x2x", "%e = tensor.empty()"), lowerTensors());
  CHECK(executable->signature().convention == EntryConvention::OutParams);
  CollectingSink sink;
  auto output =
      runOn(*executable, one(floats("x", {2, 2}, {1, 2, 3, 4})), sink);
  REQUIRE(succeeded(output));
  REQUIRE(output->outputs.size() == 1);
  CHECK(output->outputs[0].name == "y");
  CHECK(values(output->outputs[0].tensor) == std::vector<double>{2, 4, 6, 8});
  CHECK(output->seconds.empty());
  CHECK(output->leakedBytes == 0);
  CHECK(only(sink) == "");
}

static const char *const dynamicDims =
    "%c0 = arith.constant 0 : index\n"
    "%d = tensor.dim %x, %c0 : tensor<?x2xf32>\n"
    "%e = tensor.empty(%d)";

TEST_CASE("dynamic results are returned, copied and freed", "[run]") {
  auto executable = load(elementwise("?x2x", dynamicDims), lowerTensors());
  CHECK(executable->signature().convention == EntryConvention::Returned);
  for (int64_t rows : {3, 1, 0}) {
    CollectingSink sink;
    std::vector<double> numbers(static_cast<size_t>(rows * 2), 1.5);
    auto output = runOn(*executable, one(floats("x", {rows, 2}, numbers)), sink,
                        RunOptions{.repeat = 2, .where = {}});
    REQUIRE(succeeded(output));
    CHECK(output->outputs[0].tensor.shape().vec() ==
          std::vector<int64_t>{rows, 2});
    CHECK(values(output->outputs[0].tensor) ==
          std::vector<double>(numbers.size(), 3.0));
    CHECK(output->leakedBytes == 0);
    CHECK(output->seconds.size() == 2);
  }
}

TEST_CASE("two returned results come in order, an argument among them",
          "[run]") {
  auto executable = load(R"(
    func.func @main(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?x2xi64>) {
      %c0 = arith.constant 0 : index
      %c7 = arith.constant 7 : i64
      %d = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%d) : tensor<?x2xi64>
      %f = linalg.fill ins(%c7 : i64) outs(%e : tensor<?x2xi64>) -> tensor<?x2xi64>
      return %x, %f : tensor<?xf32>, tensor<?x2xi64>
    })",
                         lowerTensors());
  CollectingSink sink;
  auto output = runOn(*executable, one(floats("", {3}, {1, 2, 3})), sink);
  REQUIRE(succeeded(output));
  CHECK(values(output->outputs[0].tensor) == std::vector<double>{1, 2, 3});
  CHECK(output->outputs[1].tensor.dtype() == DType::Int64);
  CHECK(values(output->outputs[1].tensor) == std::vector<double>(6, 7));
  CHECK(output->leakedBytes == 0);
}

TEST_CASE("scalars are tensors of rank 0", "[run]") {
  auto executable =
      load(elementwise("", "%e = tensor.empty()"), lowerTensors());
  CollectingSink sink;
  auto output = runOn(*executable, one(floats("x", {}, {2.5})), sink);
  REQUIRE(succeeded(output));
  CHECK(values(output->outputs[0].tensor) == std::vector<double>{5});
}

TEST_CASE("every float type computes", "[run]") {
  for (DType dtype : {DType::Float16, DType::BFloat16, DType::Float64}) {
    StringRef word = dtype == DType::Float16    ? "f16"
                     : dtype == DType::BFloat16 ? "bf16"
                                                : "f64";
    INFO(word.str());
    auto executable =
        load(elementwise("3x", "%e = tensor.empty()", word), lowerTensors());
    CollectingSink sink;
    auto output =
        runOn(*executable, one(floats("x", {3}, {1.5, -0.25, 8}, dtype)), sink);
    REQUIRE(succeeded(output));
    CHECK(values(output->outputs[0].tensor) ==
          std::vector<double>{3, -0.5, 16});
  }
}

TEST_CASE("bfloat16 rounds once, to even", "[run]") {
  auto executable = load(R"(
    func.func @main(%x: tensor<5xf64>, %z: tensor<5xf32>) -> (tensor<5xbf16>, tensor<5xbf16>) {
      %y = arith.truncf %x : tensor<5xf64> to tensor<5xbf16>
      %w = arith.truncf %z : tensor<5xf32> to tensor<5xbf16>
      return %y, %w : tensor<5xbf16>, tensor<5xbf16>
    })",
                         "convert-elementwise-to-linalg," + lowerTensors());
  // Just above, at and below the middle of 1 and 1 + 2^-7; the first is one
  // that rounding to float first gets wrong.
  double middle = 1 + std::ldexp(1, -8);
  std::vector<double> numbers{middle + std::ldexp(1, -40), middle,
                              middle - std::ldexp(1, -40),
                              1 + 3 * std::ldexp(1, -8), -1e300};
  std::vector<NamedTensor> inputs;
  inputs.push_back(floats("", {5}, numbers, DType::Float64));
  inputs.push_back(floats("", {5}, numbers));
  CollectingSink sink;
  auto output = runOn(*executable, std::move(inputs), sink);
  REQUIRE(succeeded(output));
  double step = std::ldexp(1, -7);
  CHECK(values(output->outputs[0].tensor) ==
        std::vector<double>{1 + step, 1, 1, 1 + 2 * step, -INFINITY});
  CHECK(values(output->outputs[1].tensor) ==
        std::vector<double>{1, 1, 1, 1 + 2 * step, -INFINITY});
}

TEST_CASE("bool is one byte, 0 or 1", "[run]") {
  auto executable = load(R"(
    func.func @main(%x: tensor<4xi8> {lh.name = "x", lh.type = "bool"})
        -> (tensor<4xi8> {lh.name = "y", lh.type = "bool"}) {
      %one = arith.constant 1 : i8
      %e = tensor.empty() : tensor<4xi8>
      %r = linalg.map ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) (%a: i8, %o: i8) {
        %n = arith.xori %a, %one : i8
        linalg.yield %n : i8
      }
      return %r : tensor<4xi8>
    })",
                         lowerTensors());
  CollectingSink sink;
  auto output = runOn(*executable,
                      one(floats("x", {4}, {0, 1, 1, 0}, DType::Bool)), sink);
  REQUIRE(succeeded(output));
  CHECK(output->outputs[0].tensor.dtype() == DType::Bool);
  CHECK(values(output->outputs[0].tensor) == std::vector<double>{1, 0, 0, 1});
}

TEST_CASE("wrong inputs are refused before the code runs", "[run]") {
  auto executable = load(elementwise("?x2x", dynamicDims), lowerTensors());
  CollectingSink sink;
  CHECK(failed(runOn(*executable, one(floats("x", {1, 3}, {1, 2, 3})), sink)));
  CHECK(only(sink) ==
        "[backend-input-shape] input 'x': shape 1x3, the entry takes ?x2");
  CHECK(sink.diagnostics()[0].where.line == 7);
}

static std::string memRefEntry(StringRef body) {
  return ("module attributes {lh.abi = {main = {convention = \"out-params\","
          "args = [{name = \"x\", type = \"float32\", role = \"input\", "
          "memref = memref<4xf32>}],"
          "results = [{name = \"y\", type = \"float32\", memref = "
          "memref<4xf32>}]}}} {\n"
          "func.func @main(%x: memref<4xf32>, %y: memref<4xf32>) attributes "
          "{llvm.emit_c_interface} {\n%c0 = arith.constant 0 : index\n%c4 = "
          "arith.constant 4 : index\n%c1 = arith.constant 1 : index\n" +
          body + "\nreturn\n}}")
      .str();
}

TEST_CASE("an output that is never written shows NaN", "[run]") {
  auto executable = load(memRefEntry(R"(
    %v = memref.load %x[%c0] : memref<4xf32>
    memref.store %v, %y[%c1] : memref<4xf32>)"),
                         lowerMemRefs);
  CollectingSink sink;
  auto output = runOn(*executable, one(floats("x", {4}, {5, 2, 3, 4})), sink,
                      RunOptions{.repeat = 3, .where = {}});
  REQUIRE(succeeded(output));
  const Tensor &y = output->outputs[0].tensor;
  CHECK(std::isnan(y.at(0)));
  CHECK(y.at(1) == 5);
  CHECK(output->seconds.size() == 3);
}

/// memRefEntry() with booleans for its result.
static std::string booleanEntry(StringRef body) {
  std::string text = memRefEntry(body);
  for (auto [from, to] :
       {std::pair<StringRef, StringRef>{"\"y\", type = \"float32\"",
                                        "\"y\", type = \"bool\""},
        {"memref = memref<4xf32>}]}", "memref = memref<4xi8>}]}"},
        {"%y: memref<4xf32>", "%y: memref<4xi8>"}})
    text.replace(text.find(from.str()), from.size(), to.str());
  return text;
}

TEST_CASE("a boolean other than 0 and 1 is an error", "[run]") {
  for (auto [value, complaint] :
       {std::pair<std::string, std::string>{"-1", "byte 1 is 255"},
        {"2", "byte 1 is 2;"}}) {
    auto executable = load(booleanEntry(R"(
    %t = arith.constant 1 : i8
    linalg.fill ins(%t : i8) outs(%y : memref<4xi8>)
    %v = arith.constant )" + value + R"( : i8
    memref.store %v, %y[%c1] : memref<4xi8>)"),
                           lowerMemRefs);
    CollectingSink sink;
    CHECK(
        failed(executable->run(one(floats("x", {4}, {1, 2, 3, 4})), {}, sink)));
    CHECK_THAT(only(sink), Contains("[backend-bad-output]") &&
                               Contains("output 'y' is boolean") &&
                               Contains(complaint));
  }
}

/// `text` with one more function at the module's end.
static std::string withFunction(std::string text, StringRef function) {
  text.insert(text.rfind('}'), function);
  return text;
}

/// A function that stops LLVM from seeing through a buffer's use.
static const char *const keep = R"(
    func.func private @keep(%t: memref<?xf32>) attributes {no_inline} {
      %c0 = arith.constant 0 : index
      %v = memref.load %t[%c0] : memref<?xf32>
      memref.store %v, %t[%c0] : memref<?xf32>
      return
    }
)";

TEST_CASE("memory that the code allocates is poisoned on request", "[run]") {
  auto executable = load(withFunction(memRefEntry(R"(
    %c = arith.constant 1.0 : f32
    %t = memref.alloc(%c4) : memref<?xf32>
    func.call @keep(%t) : (memref<?xf32>) -> ()
    %v = memref.load %t[%c1] : memref<?xf32>
    memref.store %v, %y[%c0] : memref<4xf32>
    memref.store %c, %t[%c1] : memref<?xf32>
    func.call @keep(%t) : (memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>)"),
                                      keep),
                         lowerMemRefs);
  CollectingSink sink;
  for (int round = 0; round < 2; ++round) {
    auto output = runOn(*executable, one(floats("x", {4}, {1, 2, 3, 4})), sink,
                        RunOptions{.repeat = 0, .where = {}});
    REQUIRE(succeeded(output));
    CHECK(std::isnan(output->outputs[0].tensor.at(0)));
  }
}

TEST_CASE("an entry that keeps something between calls is an error", "[run]") {
  auto executable = load(withFunction(memRefEntry(R"(
    %kept = memref.get_global @kept : memref<1xf32>
    %c = arith.constant 1.0 : f32
    %before = memref.load %kept[%c0] : memref<1xf32>
    %after = arith.addf %before, %c : f32
    memref.store %after, %kept[%c0] : memref<1xf32>
    linalg.fill ins(%after : f32) outs(%y : memref<4xf32>))"),
                                      R"(
memref.global "private" @kept : memref<1xf32> = dense<0.0>)"),
                         lowerMemRefs);
  CollectingSink sink;
  auto runs = [&](unsigned repeat) {
    return succeeded(executable->run(one(floats("x", {4}, {1, 2, 3, 4})),
                                     RunOptions{.repeat = repeat, .where = {}},
                                     sink));
  };
  CHECK(runs(0));
  CHECK_FALSE(runs(1));
  CHECK_THAT(only(sink), Contains("[backend-bad-output]") &&
                             Contains("other results when it is called again"));
}

/// What is said of an entry that stores 1.0 to `place`.
static std::string complaintOfStore(const std::string &place) {
  auto executable = load(withFunction(memRefEntry(R"(
    %c = arith.constant 1.0 : f32
    %c8 = arith.constant 8 : index
    %t = memref.alloc(%c4) : memref<?xf32>
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    func.call @keep(%t) : (memref<?xf32>) -> ()
    memref.store %c, )" + place + R"(
    func.call @keep(%t) : (memref<?xf32>) -> ()
    memref.dealloc %t : memref<?xf32>)"),
                                      keep),
                         lowerMemRefs);
  CollectingSink sink;
  CHECK(failed(executable->run(one(floats("x", {4}, {1, 2, 3, 4})),
                               RunOptions{.repeat = 0, .where = {}}, sink)));
  return only(sink);
}

TEST_CASE("a write outside a buffer is an error", "[run]") {
  CHECK_THAT(complaintOfStore("%x[%c8] : memref<4xf32>"),
             Contains("[backend-out-of-bounds]") &&
                 Contains("outside its input 'x' of 16 bytes"));
  CHECK_THAT(complaintOfStore("%y[%c4] : memref<4xf32>"),
             Contains("[backend-out-of-bounds]") &&
                 Contains("outside its output 'y' of 16 bytes"));
  CHECK_THAT(complaintOfStore("%t[%c4] : memref<?xf32>"),
             Contains("[backend-out-of-bounds]") &&
                 Contains("outside a buffer of 16 bytes"));
}

/// What is said of an entry that stores to `index` of a buffer of `count`
/// elements, aligned as bufferization does.
static std::string complaintOfAligned(const std::string &type, int count,
                                      int index, StringRef passes) {
  std::string buffer = "memref<" + std::to_string(count) + "x" + type + ">";
  std::string any = "memref<?x" + type + ">";
  auto executable = load(
      withFunction(memRefEntry("%i = arith.constant " + std::to_string(index) +
                               R"( : index
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    %t = memref.alloc() {alignment = 64 : i64} : )" +
                               buffer + "\n%any = memref.cast %t : " + buffer +
                               " to " + any +
                               "\nfunc.call @touch(%any, %i) : (" + any +
                               R"(, index) -> ()
    memref.dealloc %t : )" + buffer),
                   "func.func private @touch(%t: " + any +
                       R"(, %i: index) attributes {no_inline} {
      %v = arith.constant )" +
                       (type == "f32" ? "1.0" : "1") + " : " + type +
                       "\nmemref.store %v, %t[%i] : " + any + "\nreturn\n}"),
      passes);
  CollectingSink sink;
  (void)executable->run(one(floats("x", {4}, {1, 2, 3, 4})),
                        RunOptions{.repeat = 0, .where = {}}, sink);
  return only(sink);
}

TEST_CASE("a buffer's fence stands where the buffer ends", "[run]") {
  std::string aligned = lowerMemRefs;
  StringRef option = "use-generic-functions=true";
  aligned.replace(aligned.find(option.str()), option.size(), "");
  for (const std::string &passes : {std::string(lowerMemRefs), aligned}) {
    for (int index : {16, 20, 31})
      CHECK_THAT(complaintOfAligned("f32", 16, index, passes),
                 Contains("[backend-out-of-bounds]") &&
                     Contains("outside a buffer of 64 bytes"));
    CHECK_THAT(complaintOfAligned("f32", 17, 17, passes),
               Contains("outside a buffer of 68 bytes"));
    CHECK_THAT(complaintOfAligned("i8", 3, 3, passes),
               Contains("outside a buffer of 3 bytes"));
    CHECK(complaintOfAligned("f32", 17, 16, passes) == "");
    CHECK(complaintOfAligned("i8", 3, 2, passes) == "");
  }
}

TEST_CASE("what lies outside of one buffer is noticed outside of another",
          "[run]") {
  auto executable = load(memRefEntry(R"(
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>
    %from = memref.reinterpret_cast %x to offset: [4], sizes: [64], strides: [1]
        : memref<4xf32> to memref<64xf32, strided<[1], offset: 4>>
    %to = memref.reinterpret_cast %y to offset: [4], sizes: [64], strides: [1]
        : memref<4xf32> to memref<64xf32, strided<[1], offset: 4>>
    memref.copy %from, %to : memref<64xf32, strided<[1], offset: 4>>
        to memref<64xf32, strided<[1], offset: 4>>)"),
                         lowerMemRefs);
  CollectingSink sink;
  CHECK(failed(executable->run(one(floats("x", {4}, {1, 2, 3, 4})),
                               RunOptions{.repeat = 0, .where = {}}, sink)));
  CHECK_THAT(only(sink), Contains("outside its output 'y'"));
}

TEST_CASE("memory that is not freed is a warning with its size", "[run]") {
  auto executable = load(withFunction(memRefEntry(R"(
    scf.for %i = %c0 to %c4 step %c1 {
      %n = arith.addi %i, %c4 : index
      %t = memref.alloc(%n) : memref<?xf32>
      memref.copy %x, %y : memref<4xf32> to memref<4xf32>
      %f = memref.load %x[%i] : memref<4xf32>
      memref.store %f, %t[%i] : memref<?xf32>
      func.call @keep(%t) : (memref<?xf32>) -> ()
    })"),
                                      keep),
                         lowerMemRefs);
  CollectingSink sink;
  auto output = runOn(*executable, one(floats("x", {4}, {1, 2, 3, 4})), sink,
                      RunOptions{.repeat = 2, .where = {}});
  REQUIRE(succeeded(output));
  CHECK(output->leakedBytes == (4 + 5 + 6 + 7) * 4);
  CHECK(output->peakBytes == output->leakedBytes);
  REQUIRE(sink.diagnostics().size() == 1);
  CHECK(sink.diagnostics()[0].severity == Severity::Warning);
  CHECK_THAT(only(sink),
             Contains("[backend-leak]") && Contains("4 buffers of 88 bytes"));
}

TEST_CASE("an input that the code writes to is an error", "[run]") {
  auto executable = load(memRefEntry(R"(
    %v = memref.load %x[%c0] : memref<4xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %x[%c0] : memref<4xf32>
    memref.copy %x, %y : memref<4xf32> to memref<4xf32>)"),
                         lowerMemRefs);
  CollectingSink sink;
  auto inputs = one(floats("x", {4}, {5, 2, 3, 4}));
  RunOptions options;
  CHECK(failed(executable->run(inputs, options, sink)));
  CHECK_THAT(only(sink), Contains("[backend-input-written]") &&
                             Contains("writes to its input 'x'"));
  CHECK(inputs[0].tensor.at(0) == 5);
}

TEST_CASE("a strided copy goes through the engine's memrefCopy", "[run]") {
  auto executable = load(memRefEntry(R"(
    %f = memref.load %x[%c0] : memref<4xf32>
    linalg.fill ins(%f : f32) outs(%y : memref<4xf32>)
    %from = memref.subview %x[1][2][2] : memref<4xf32> to memref<2xf32, strided<[2], offset: 1>>
    %to = memref.subview %y[0][2][2] : memref<4xf32> to memref<2xf32, strided<[2]>>
    memref.copy %from, %to : memref<2xf32, strided<[2], offset: 1>> to memref<2xf32, strided<[2]>>)"),
                         lowerMemRefs);
  CollectingSink sink;
  auto output = runOn(*executable, one(floats("x", {4}, {1, 2, 3, 4})), sink);
  REQUIRE(succeeded(output));
  CHECK(values(output->outputs[0].tensor) == std::vector<double>{2, 1, 4, 1});
}

TEST_CASE("an assertion that fails is an error with its message", "[run]") {
  auto executable = load(R"(
    func.func @main(%x: tensor<?xf32> {lh.name = "x"}) -> tensor<?xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %d = tensor.dim %x, %c0 : tensor<?xf32>
      %e = tensor.empty(%d) : tensor<?xf32>
      %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>)
                      outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %two = arith.cmpi eq, %d, %c2 : index
      cf.assert %two, "two elements are needed"
      return %y : tensor<?xf32>
    })",
                         lowerTensors());
  for (bool good : {true, false, true}) {
    CollectingSink sink;
    auto input = good ? floats("x", {2}, {1, 2}) : floats("x", {3}, {1, 2, 3});
    auto output = runOn(*executable, one(std::move(input)), sink,
                        RunOptions{.repeat = 2, .where = {}});
    REQUIRE(succeeded(output) == good);
    if (good) {
      CHECK(values(output->outputs[0].tensor) == std::vector<double>{2, 4});
      continue;
    }
    CHECK(only(sink) == "[backend-bad-output] 'main' gave up: two "
                        "elements are needed");
    CHECK(sink.diagnostics()[0].where.line == 7);
  }
}

TEST_CASE("libm comes from the process", "[run]") {
  std::string text = withFunction(memRefEntry(R"(
    %v = memref.load %x[%c0] : memref<4xf32>
    %w = func.call @tanhf(%v) : (f32) -> f32
    linalg.fill ins(%w : f32) outs(%y : memref<4xf32>))"),
                                  "func.func private @tanhf(f32) -> f32\n");
  auto executable = load(text, lowerMemRefs);
  CollectingSink sink;
  auto output = runOn(*executable, one(floats("x", {4}, {0.5, 2, 3, 4})), sink);
  REQUIRE(succeeded(output));
  CHECK(output->outputs[0].tensor.at(3) == Approx(std::tanh(0.5)));
}

TEST_CASE("a returned shape that the signature excludes is an error", "[run]") {
  auto executable = load(R"(
    module attributes {lh.abi = {main = {convention = "returned", args = [],
        results = [{name = "y", type = "float32", memref = memref<?x3xf32>}]}}} {
      llvm.func @_mlir_ciface_main(%r: !llvm.ptr) {
        %m = llvm.mlir.constant(-1 : i64) : i64
        %p = llvm.getelementptr %r[3] : (!llvm.ptr) -> !llvm.ptr, i64
        llvm.store %m, %p : i64, !llvm.ptr
        llvm.return
      }
    })",
                         "");
  CollectingSink sink;
  CHECK(failed(runOn(*executable, {}, sink)));
  CHECK_THAT(only(sink),
             Contains("[backend-bad-output]") && Contains("output 'y'"));
}

static std::string weightModule(StringRef file, unsigned offset,
                                bool prepares) {
  std::string weight =
      ("%w: tensor<2xf32> {lh.name = \"w\", lh.weight = \"w\", lh.data = [\"" +
       file + "\", " + Twine(offset) + " : i64, 8 : i64]}")
          .str();
  std::string add = R"(
      %e = tensor.empty() : tensor<2xf32>
      %r = linalg.add ins(%x, %v : tensor<2xf32>, tensor<2xf32>)
                      outs(%e : tensor<2xf32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    })";
  if (!prepares)
    return "func.func @main(%x: tensor<2xf32>, " + weight +
           ") -> tensor<2xf32> {\n%v = tensor.cast %w : tensor<2xf32> to "
           "tensor<2xf32>" +
           add;
  return "func.func @prepare(" + weight + R"() -> tensor<2xf32> {
      %e = tensor.empty() : tensor<2xf32>
      %r = linalg.add ins(%w, %w : tensor<2xf32>, tensor<2xf32>)
                      outs(%e : tensor<2xf32>) -> tensor<2xf32>
      return %r : tensor<2xf32>
    }
    func.func @main(%x: tensor<2xf32>, %v: tensor<2xf32> {lh.prepared = 0 : i64}) -> tensor<2xf32> {)" +
         add;
}

TEST_CASE("weights come from their file, aligned there or not", "[run]") {
  float numbers[2] = {10, 20};
  std::string bytes(reinterpret_cast<const char *>(numbers), sizeof numbers);
  for (unsigned offset : {0u, 64u, 5u})
    for (bool prepares : {false, true}) {
      TemporaryFile file(std::string(offset, 'x') + bytes);
      auto executable =
          load(weightModule(file.path(), offset, prepares), lowerTensors());
      CollectingSink sink;
      auto output = runOn(*executable, one(floats("", {2}, {1, 2})), sink);
      REQUIRE(succeeded(output));
      double factor = prepares ? 2 : 1;
      CHECK(values(output->outputs[0].tensor) ==
            std::vector<double>{1 + 10 * factor, 2 + 20 * factor});
    }
}

TEST_CASE("a weight file that is gone fails the preparation", "[run]") {
  CollectingSink sink;
  for (bool prepares : {false, true}) {
    auto executable = compileText(weightModule("/nowhere/w", 0, prepares),
                                  lowerTensors(), sink);
    REQUIRE(succeeded(executable));
    CHECK(failed((*executable)->prepare(sink)));
  }
  CHECK_THAT(only(sink), Contains("[backend-weight-file]"));
}
