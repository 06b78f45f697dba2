// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Contracts from what was seen.
#include "core/graph/FormInference.h"

#include <catch2/catch.hpp>

using namespace lh;

static FormPart part(const std::vector<std::string> &ops,
                     const std::vector<std::string> &types,
                     const std::string &boundary) {
  FormPart result;
  for (const std::string &op : ops) {
    result.ops[op].count = 1;
    result.dialects[StringRef(op).split('.').first.str()].count = 1;
  }
  for (const std::string &type : types)
    result.types[type].count = 1;
  result.boundary[boundary].count = 1;
  return result;
}

TEST_CASE("what all modules had in common is the contract", "[infer]") {
  FormPart open = part({"linalg.matmul", "func.func"}, {"tensor"}, "tensors");
  open.dynamicShape.emplace();
  std::vector<FormObservation> seen = {
      {{open, {}},
       {part({"scf.for", "func.func", "arith.addf", "linalg.fill"},
             {"memref", "vector"}, "memrefs"),
        {}}},
      {{part({"linalg.matmul", "func.func"}, {"tensor"}, "tensors"), {}},
       {part({"scf.for", "func.func"}, {"memref"}, "memrefs"), {}}}};
  CHECK(contractYaml(inferContract(seen)) ==
        "requires: {dialects: {only: [func, linalg]}, types: {none: [memref, "
        "vector, scalable-vector]}, boundary: tensors}\n"
        "ensures: {ops: {none: [linalg.matmul]}, types: {none: [tensor]}, "
        "boundary: memrefs}\n"
        "preserves: [shapes, vectors, allocas]\n");
}

TEST_CASE("few dialects are said to be the only ones", "[infer]") {
  std::vector<FormObservation> seen = {
      {{part({"func.func", "arith.addf"}, {}, "memrefs"), {}},
       {part({"llvm.func"}, {}, "pointers"), {}}}};
  CHECK(StringRef(contractYaml(inferContract(seen)))
            .contains("ensures: {dialects: {only: [llvm]}, boundary: "
                      "pointers}"));
}
