// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that depend on memory which nobody has written.
#include "BackendTestSupport.h"

#include "runtime/abi/WrittenCheck.h"
#include "runtime/cpu/ThreadRuntime.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <map>
#include <random>

using namespace lh;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

static RunOptions checking() {
  RunOptions options;
  options.where = SourceSpan{"m.yaml", 7, 3};
  options.checksWritten = true;
  return options;
}

/// What is said of one run of `executable` on `input`; "" when all is well.
static std::string said(Executable &executable, NamedTensor input) {
  std::vector<NamedTensor> inputs;
  inputs.push_back(std::move(input));
  CollectingSink sink;
  bool passed = succeeded(executable.run(inputs, checking(), sink));
  CHECK(passed == (sink.errorCount() == 0));
  return only(sink);
}

static NamedTensor ones(std::vector<int64_t> shape, DType dtype) {
  NamedTensor named{"x", Tensor(dtype, std::move(shape))};
  for (int64_t i = 0; i < named.tensor.elementCount(); ++i)
    named.tensor.set(i, 1);
  return named;
}

namespace {
struct Type {
  const char *mlir, *name;
};
} // namespace

/// Every type that an entry can give, as it is in memory.
static constexpr Type types[] = {
    {"f16", "float16"},  {"bf16", "bfloat16"}, {"f32", "float32"},
    {"f64", "float64"},  {"i8", "bool"},       {"i8", "int8"},
    {"i8", "uint8"},     {"i16", "int16"},     {"i32", "int32"},
    {"i64", "int64"},    {"i64", "uint64"},    {"i8", "float8e4m3fn"},
    {"i8", "float8e5m2"}};

/// @main copies columns 0 and 1 of 3, or what `columns` says, through memory of
/// its own or straight.
static std::string copying(Type type, unsigned columns, bool allocates) {
  std::string memref = std::string("memref<4x3x") + type.mlir + ">";
  std::string part = "memref<4x" + std::to_string(columns) + "x" + type.mlir +
                     ", strided<[3, 1]>>";
  std::string name = type.name;
  std::string text =
      "module attributes {lh.abi = {main = {convention = \"out-params\","
      "args = [{name = \"x\", type = \"" +
      name + "\", role = \"input\", memref = " + memref +
      "}], results = [{name = \"y\", type = \"" + name +
      "\", memref = " + memref + "}]}}} {\nfunc.func @main(%x: " + memref +
      ", %y: " + memref + ") attributes {llvm.emit_c_interface} {\n";
  if (allocates)
    text += "%t = memref.alloc() {alignment = 64 : i64} : " + memref + "\n";
  std::string to = allocates ? "%t" : "%y";
  if (columns > 0)
    for (std::string from : {std::string("%x"), to}) {
      std::string sub = from == to ? "%to" : "%from";
      text += sub + " = memref.subview " + from + "[0, 0][4, " +
              std::to_string(columns) + "][1, 1] : " + memref + " to " + part +
              "\n";
    }
  if (columns > 0)
    text += "memref.copy %from, %to : " + part + " to " + part + "\n";
  if (allocates)
    text += "memref.copy %t, %y : " + memref + " to " + memref +
            "\nmemref.dealloc %t : " + memref + "\n";
  return text + "return\n}}";
}

TEST_CASE("an unwritten element of any type is an error", "[written]") {
  for (const Type &type : types)
    for (bool allocates : {false, true}) {
      INFO(type.name << (allocates ? " allocated" : ""));
      auto complaint = [&](unsigned columns) {
        auto executable = load(copying(type, columns, allocates), lowerMemRefs);
        return said(*executable, ones({4, 3}, *parseDType(type.name)));
      };
      CHECK(complaint(3) == "");
      CHECK_THAT(complaint(0),
                 StartsWith("[backend-unwritten] output 'y' is unwritten: 12 "
                            "of 12 elements, the first at [0, 0], depend on"));
      CHECK_THAT(complaint(2),
                 Contains("4 of 12 elements, the first at [0, 2], depend"));
    }
}

TEST_CASE("an index that nobody computed is unwritten", "[written]") {
  auto executable = load(R"(
    func.func @main(%x: tensor<2xf32> {lh.name = "x"})
        -> (tensor<index> {lh.name = "y"}) {
      %e = tensor.empty() : tensor<index>
      return %e : tensor<index>
    })",
                         lowerTensors());
  CHECK_THAT(said(*executable, ones({2}, DType::Float32)),
             Contains("output 'y' is unwritten: its value depends on"));
}

/// y = x + x, through `words` on a tensor that nothing has filled.
static std::string onEmpty(const std::string &type, const std::string &words) {
  std::string tensor = "tensor<5x5x" + type + ">";
  return "func.func @main(%x: " + tensor + " {lh.name = \"x\"}) -> (" + tensor +
         " {lh.name = \"y\"}) {\n%e = tensor.empty() : " + tensor + "\n" +
         words + "return %r : " + tensor + "\n}";
}

TEST_CASE("a product onto nothing is unwritten", "[written]") {
  for (std::string type : {"f16", "f32", "f64", "i8", "i32", "i64"}) {
    std::string tensor = "tensor<5x5x" + type + ">";
    auto executable =
        load(onEmpty(type, "%r = linalg.matmul ins(%x, %x : " + tensor + ", " +
                               tensor + ") outs(%e : " + tensor + ") -> " +
                               tensor + "\n"),
             lowerTensors());
    std::map<std::string, DType> types = {
        {"f16", DType::Float16}, {"f32", DType::Float32},
        {"f64", DType::Float64}, {"i8", DType::Int8},
        {"i32", DType::Int32},   {"i64", DType::Int64}};
    INFO(type);
    CHECK_THAT(said(*executable, ones({5, 5}, types.at(type))),
               Contains("[backend-unwritten]") &&
                   Contains("25 of 25 elements, the first at [0, 0]"));
  }
}

/// linalg.map over the empty tensor, `yield` of its element %e.
static std::string mapOfEmpty(const std::string &type,
                              const std::string &yield) {
  std::string tensor = "tensor<5x5x" + type + ">";
  return onEmpty(type, "%o = tensor.empty() : " + tensor +
                           "\n%r = linalg.map ins(%x, %e : " + tensor + ", " +
                           tensor + ") outs(%o : " + tensor + ") (%a: " + type +
                           ", %b: " + type + ", %c: " + type + ") {\n" + yield +
                           "}\n");
}

TEST_CASE("what comparisons make of a NaN doesn't hide it", "[written]") {
  for (std::string yield :
       {// zero times it, and a rectifier that drops NaNs
        "%z = arith.constant 0.0 : f32\n%v = arith.mulf %b, %z : f32\n",
        "%z = arith.constant 0.0 : f32\n"
        "%v = arith.maxnumf %b, %z : f32\n",
        "%z = arith.constant 0.0 : f32\n"
        "%p = arith.cmpf ogt, %b, %z : f32\n"
        "%v = arith.select %p, %b, %z : f32\n",
        "%v = arith.minnumf %a, %b : f32\n"}) {
    auto executable = load(mapOfEmpty("f32", yield + "linalg.yield %v : f32\n"),
                           lowerTensors());
    INFO(yield);
    CHECK_THAT(said(*executable, ones({5, 5}, DType::Float32)),
               Contains("[backend-unwritten]"));
  }
}

TEST_CASE("scratch that no result uses may stay unwritten", "[written]") {
  auto executable =
      load(mapOfEmpty("f32", "%p = arith.cmpf oeq, %a, %a : f32\n"
                             "%v = arith.select %p, %a, %b : f32\n"
                             "linalg.yield %v : f32\n"),
           lowerTensors());
  CHECK(said(*executable, ones({5, 5}, DType::Float32)) == "");
}

/// A sum of 4096 numbers to which two threads add by turns.
static const char *const sumOfThreads = R"(
func.func @main(%x: memref<4096xf32> {lh.name = "x"})
    -> (memref<1xf32> {lh.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %y = memref.alloc() {alignment = 64 : i64} : memref<1xf32>
  memref.store %zero, %y[%c0] : memref<1xf32>
  scf.parallel (%i) = (%c0) to (%c4096) step (%c1) {
    %v = memref.load %x[%i] : memref<4096xf32>
    %s = memref.atomic_rmw addf %v, %y[%c0] : (f32, memref<1xf32>) -> f32
  }
  return %y : memref<1xf32>
})";

TEST_CASE("threads that add in another order raise no alarm", "[written]") {
  if (!openThreadRuntime().empty())
    return;
  auto executable =
      load(sumOfThreads,
           "lh-entry-abi, convert-scf-to-openmp{num-threads=2}, canonicalize,"
           "convert-scf-to-cf, finalize-memref-to-llvm, convert-arith-to-llvm,"
           "convert-func-to-llvm, convert-cf-to-llvm, convert-openmp-to-llvm,"
           "reconcile-unrealized-casts");
  NamedTensor input{"x", Tensor(DType::Float32, {4096})};
  std::mt19937 random(1);
  for (int64_t i = 0; i < 4096; ++i)
    input.tensor.set(i, std::ldexp(1.0 + double(random() % 1000) / 1000,
                                   int(random() % 20)));
  for (int round = 0; round < 20; ++round) {
    NamedTensor again{"x", Tensor(DType::Float32, {4096})};
    for (int64_t i = 0; i < 4096; ++i)
      again.tensor.set(i, input.tensor.at(i));
    CHECK(said(*executable, std::move(again)) == "");
  }
}

namespace {
/// An entry of one output that is made up.
class MadeUp {
public:
  using Make = std::function<Tensor(Poison poison, unsigned call)>;
  explicit MadeUp(Make make) : make(std::move(make)) {
    abi.name = "main";
    abi.results = {{"y", DType::Float32, {-1}}};
  }

  std::string said() {
    calls = 0;
    std::vector<Tensor> first;
    first.push_back(make(Poison::NotANumber, calls++));
    CollectingSink sink;
    (void)checkWritten(
        abi, first,
        [&](Poison poison) -> FailureOr<std::vector<Tensor>> {
          std::vector<Tensor> results;
          results.push_back(make(poison, calls++));
          return results;
        },
        checking(), sink);
    return only(sink);
  }

  unsigned calls = 0;

private:
  Make make;
  EntryAbi abi;
};
} // namespace

static Tensor vectorOf(const std::vector<double> &numbers) {
  return std::move(
      floats("y", {static_cast<int64_t>(numbers.size())}, numbers).tensor);
}

TEST_CASE("what doesn't differ is called once more, no oftener", "[written]") {
  MadeUp entry([](Poison, unsigned) { return vectorOf({1, 2, 3}); });
  CHECK(entry.said() == "");
  CHECK(entry.calls == 2);
}

TEST_CASE("rounding that changes from call to call hides no poison",
          "[written]") {
  std::mt19937 random(1);
  auto noisy = [&](double value) {
    return value + std::ldexp(double(random() % 8), -20);
  };
  unsigned alarms = 0;
  for (int round = 0; round < 1000; ++round) {
    MadeUp clean([&](Poison, unsigned) {
      return vectorOf({noisy(1), noisy(2), noisy(1)});
    });
    alarms += clean.said() != "";
  }
  CHECK(alarms == 0);
  MadeUp unwritten([&](Poison poison, unsigned) {
    double held = poison == Poison::Numbers ? 1.5 : 1;
    return vectorOf({noisy(1), noisy(held), noisy(1)});
  });
  CHECK_THAT(unwritten.said(),
             Contains("1 of 3 elements, at [1], depends on what memory held"));
}

TEST_CASE("one sum that changes from call to call raises no alarm",
          "[written]") {
  std::mt19937 random(1);
  unsigned alarms = 0;
  for (int round = 0; round < 3000; ++round) {
    MadeUp sum([&](Poison, unsigned) { return vectorOf({double(random())}); });
    alarms += sum.said() != "";
  }
  CHECK(alarms == 0);
}

TEST_CASE("what is kept between calls is no poison", "[written]") {
  MadeUp counter(
      [](Poison, unsigned call) { return vectorOf({double(call)}); });
  CHECK(counter.said() == "");
  MadeUp toggle(
      [](Poison, unsigned call) { return vectorOf({double(call % 2)}); });
  CHECK(toggle.said() == "");
}

TEST_CASE("a shape that follows the poison is unwritten", "[written]") {
  MadeUp entry([](Poison poison, unsigned) {
    return vectorOf(std::vector<double>(poison == Poison::Numbers ? 3 : 5, 1));
  });
  CHECK_THAT(entry.said(),
             Contains("its shape, 5 or 3, depends on what memory held"));
}

TEST_CASE("shapes that the data decide raise no alarm", "[written]") {
  auto executable = load(R"(
    func.func @main(%x: tensor<4xf32> {lh.name = "x"})
        -> (tensor<?xf32> {lh.name = "y"}) {
      %c0 = arith.constant 0 : index
      %v = tensor.extract %x[%c0] : tensor<4xf32>
      %i = arith.fptosi %v : f32 to i64
      %n = arith.index_cast %i : i64 to index
      %e = tensor.empty(%n) : tensor<?xf32>
      %r = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      return %r : tensor<?xf32>
    })",
                         lowerTensors());
  CHECK(said(*executable, floats("x", {4}, {3, 0, 0, 0})) == "");
}

TEST_CASE("the reference's fault is the payload's", "[written]") {
  auto executable =
      load(mapOfEmpty("f32", "linalg.yield %b : f32\n"), lowerTensors());
  RunOptions options = checking();
  options.isReference = true;
  std::vector<NamedTensor> inputs;
  inputs.push_back(ones({5, 5}, DType::Float32));
  CollectingSink sink;
  CHECK(failed(executable->run(inputs, options, sink)));
  CHECK_THAT(only(sink),
             StartsWith("[backend-unwritten] the payload itself leaves output "
                        "'y' undefined: 25 of 25 elements"));
}
