// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// New expected outputs replace old ones, unless they are worse.
#include "core/plan/GoldenRecord.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace lh;

static Tensor vectorTensor(DType dtype, const std::vector<double> &values) {
  Tensor tensor(dtype, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i)
    tensor.set(static_cast<int64_t>(i), values[i]);
  return tensor;
}

/// Why `fresh` is worse than `old`, where `exact` is right.
static std::string verdict(DType dtype, const std::vector<double> &fresh,
                           std::optional<std::vector<double>> old,
                           const std::vector<double> &exact) {
  RecordedOutput output;
  output.fresh = vectorTensor(dtype, fresh);
  if (old)
    output.old = vectorTensor(dtype, *old);
  output.reference = vectorTensor(DType::Float64, exact);
  return whyWorse(measureRecord(output), dtype);
}

TEST_CASE("outputs no worse than the old ones are taken", "[record]") {
  DType dtype = DType::Float32;
  CHECK(verdict(dtype, {1, 2}, {{1, 2}}, {1, 2}).empty());
  CHECK(verdict(dtype, {1, 2}, {{1, 5}}, {1, 2}).empty());
  CHECK(verdict(dtype, {1, 2.1}, {{1, 2.07}}, {1, 2}).empty());
  CHECK(verdict(dtype, {1, 9}, std::nullopt, {1, 2}).empty());
  // One representable value apart is rounding.
  CHECK(verdict(dtype, {std::nextafter(1.0f, 2.0f)}, {{1}}, {1}).empty());
}

TEST_CASE("outputs that are worse are not taken", "[record]") {
  DType dtype = DType::Float32;
  CHECK_THAT(verdict(dtype, {1, 2.5}, {{1, 2.1}}, {1, 2}),
             Catch::Contains("greatest error is 0.5"));
  // The same greatest error, in more places.
  CHECK_THAT(verdict(dtype, {2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
                     {{2, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
                     {1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
             Catch::Contains("root-mean-square"));
  CHECK_FALSE(verdict(DType::Int8, {4}, {{3}}, {3}).empty());
}

TEST_CASE("a NaN that the reference lacks is never taken", "[record]") {
  double nan = std::nan("");
  CHECK_THAT(verdict(DType::Float32, {nan}, std::nullopt, {1}),
             Catch::Contains("NaN"));
  CHECK(verdict(DType::Float32, {nan}, std::nullopt, {nan}).empty());
}

TEST_CASE("old outputs of another shape hold nothing back", "[record]") {
  CHECK(verdict(DType::Float32, {1, 3}, {{1}}, {1, 2}).empty());
  CHECK_FALSE(verdict(DType::Float32, {1}, std::nullopt, {1, 2}).empty());
}

TEST_CASE("values are rounded to the output's type", "[record]") {
  Tensor exact = vectorTensor(DType::Float64, {1.0 / 3, 70000});
  Tensor half = roundedTo(exact, DType::Float16);
  CHECK(half.dtype() == DType::Float16);
  CHECK(half.at(0) == 0.333251953125);
  CHECK(std::isinf(half.at(1)));
}

TEST_CASE("a file that is there keeps its name, others go", "[record]") {
  std::vector<RecordedOutput> outputs(2);
  outputs[0].name = "a/b";
  outputs[1].name = "c";
  for (RecordedOutput &output : outputs)
    output.fresh = vectorTensor(DType::Float32, {1});
  FolderChanges changes = outputChanges(
      outputs, {}, {"outputs/a_b.npy", "outputs/0-c.pb", "outputs/9-old.npy"});
  CHECK(changes.size() == 4);
  CHECK(changes.at("outputs/a_b.npy"));
  CHECK(changes.at("outputs/1-c.npy"));
  CHECK_FALSE(changes.at("outputs/0-c.pb"));
  CHECK_FALSE(changes.at("outputs/9-old.npy"));
  CHECK(outputChanges(outputs, {"host"}, {}).count("host/0-a_b.npy"));
}

TEST_CASE("outputs whose names agree as file names are two files", "[record]") {
  std::vector<RecordedOutput> outputs(2);
  outputs[0].name = "a/b";
  outputs[1].name = "a_b";
  outputs[0].fresh = vectorTensor(DType::Float32, {1});
  outputs[1].fresh = vectorTensor(DType::Int8, {1});
  FolderChanges changes = outputChanges(outputs, {}, {});
  CHECK(changes.count("outputs/0-a_b.npy") == 1);
  CHECK(changes.count("outputs/1-a_b-2.npy") == 1);
  Provenance provenance;
  describeOutputs(outputs, provenance);
  CHECK(provenance.dtypes == std::map<std::string, std::string>{
                                 {"a_b", "float32"}, {"a_b-2", "int8"}});
}

TEST_CASE("inputs go by position where a name is no file name", "[record]") {
  CHECK(inputFileNames({"x", "past.0"}) ==
        std::vector<std::string>{"0-x.npy", "1-past.0.npy"});
  CHECK(inputFileNames({"x", "a/b"}) ==
        std::vector<std::string>{"0000.npy", "0001.npy"});
}

TEST_CASE("a sidecar tells the types and counts the NaNs", "[record]") {
  std::vector<RecordedOutput> outputs(2);
  outputs[0].name = "y";
  outputs[0].fresh = vectorTensor(DType::Float32, {1, std::nan("")});
  outputs[1].name = "z";
  outputs[1].fresh = vectorTensor(DType::Int8, {1});
  Provenance provenance;
  provenance.nans["gone"] = 1;
  describeOutputs(outputs, provenance);
  CHECK(provenance.dtypes ==
        std::map<std::string, std::string>{{"y", "float32"}, {"z", "int8"}});
  CHECK(provenance.nans == std::map<std::string, int64_t>{{"y", 1}});
}
