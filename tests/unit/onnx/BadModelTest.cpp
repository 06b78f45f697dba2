// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wrong and hostile models end in diagnostics, never in a crash.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;
using Catch::Matchers::Contains;

/// x (2x4) -> Relu -> y, to be spoilt.
static TestModel smallModel() {
  TestModel model;
  model.nodes = {node("Relu", "act", {"x"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {2, 4})};
  model.outputs = {valueInfo("y", float32, {2, 4})};
  return model;
}

TEST_CASE("a missing file and a folder are unreadable", "[ingress]") {
  TestFolder folder;
  CHECK(importFile(folder.path + "/none.onnx").has("ingress-unreadable-model"));
  CHECK(importFile(folder.path).has("ingress-unreadable-model"));
}

TEST_CASE("a file that is no model is malformed", "[ingress]") {
  TestFolder folder;
  for (const char *content : {"", "hello", "\x08"})
    CHECK(importFile(folder.write("m.onnx", content))
              .has("ingress-malformed-model"));
}

TEST_CASE("all unsupported operators are named at once", "[ingress]") {
  TestModel model = smallModel();
  model.opset = 17;
  model.nodes = {node("Foo", "n1", {"x"}, {"a"}),
                 node("Bar", "", {"a"}, {"y"})};
  checkRefused(model, "ingress-unsupported-op",
               "op 'Foo' (opset 17, node 'n1') is not supported");
  checkRefused(model, "ingress-unsupported-op",
               "op 'Bar' (opset 17, node 'Bar_1') is not supported");
}

TEST_CASE("operators that can't be tensors' are refused with a reason",
          "[ingress]") {
  TestModel model = smallModel();
  model.nodes = {node("StringConcat", "n1", {"x", "x"}, {"y"})};
  checkRefused(model, "ingress-unsupported-op",
               "is not supported: it works on strings");
}

TEST_CASE("lists are where they are declared, and places in them are known",
          "[ingress]") {
  TestModel model = smallModel();
  model.opset = 17;
  model.nodes = {node("SplitToSequence", "", {"x"}, {"y"})};
  checkRefused(model, "ingress-shape-mismatch",
               "output 'y' is declared as a tensor, but the nodes give a "
               "sequence");
  model.nodes = {node("SplitToSequence", "", {"x"}, {"s"}),
                 node("Relu", "act", {"s"}, {"y"})};
  checkRefused(
      model, "ingress-unsupported-op",
      "input 0 is a sequence or an optional, and the op takes tensors");
  model.nodes = {node("SequenceConstruct", "", {"x"}, {"s"}),
                 node("SequenceAt", "pick", {"s", "place"}, {"y"})};
  model.inputs = {valueInfo("x", float32, {2, 4}),
                  valueInfo("place", int64, {})};
  checkRefused(model, "ingress-unsupported-op", "position");
  model.nodes[1] = node("SequenceAt", "pick", {"s", "s"}, {"y"});
  checkRefused(model, "ingress-unsupported-op",
               "'position' is a sequence or an optional");
  model.nodes = {node("SequenceLength", "", {"x"}, {"y"})};
  checkRefused(model, "ingress-invalid-node", "input 0 is no sequence");
  model.nodes = {node("Optional", "", {}, {"o"}),
                 node("OptionalGetElement", "", {"o"}, {"y"})};
  checkRefused(model, "ingress-invalid-node", "the optional is empty");
  model.nodes = {node("Optional", "", {}, {"o"}),
                 node("SequenceConstruct", "", {"x", "o"}, {"s"}),
                 node("ConcatFromSequence", "", {"s"}, {"y"})};
  checkRefused(model, "ingress-invalid-node", "must be tensors of one type");
  model.nodes = {node("Optional", "", {}, {"o"}),
                 node("SequenceConstruct", "", {"x"}, {"s"}),
                 node("SequenceInsert", "", {"s", "o"}, {"t"}),
                 node("ConcatFromSequence", "", {"t"}, {"y"})};
  checkRefused(model, "ingress-invalid-node",
               "what is inserted must be a tensor");
}

TEST_CASE("a node without outputs is refused", "[ingress]") {
  for (const char *op : {"Identity", "Shape", "Size", "Constant"}) {
    TestModel model = smallModel();
    model.nodes.push_back(node(op, "", {"x"}, {}));
    checkRefused(model, "ingress-invalid-node", "no outputs");
  }
}

TEST_CASE("versions the importer does not know are refused", "[ingress]") {
  TestModel model = smallModel();
  model.opset = 99;
  checkRefused(model, "ingress-unsupported-version", "opset 99");
  model = smallModel();
  model.irVersion = 2;
  checkRefused(model, "ingress-unsupported-version", "IR version 2");
}

TEST_CASE("operands that don't broadcast inside an operator are refused",
          "[ingress]") {
  TestModel model = smallModel();
  model.inputs = {valueInfo("x", float32, {2, 4, 5}),
                  valueInfo("s", float32, {3})};
  model.nodes = {node("InstanceNormalization", "norm", {"x", "s", "s"}, {"y"})};
  model.outputs = {valueInfo("y", float32, {2, 4, 5})};
  checkRefused(model, "ingress-shape-mismatch", "node 'norm'");
}

TEST_CASE("dimensions beyond any memory are refused", "[ingress]") {
  TestModel model = smallModel();
  model.inputs = {valueInfo("x", float32, {2, int64_t(1) << 62})};
  checkRefused(model, "ingress-malformed-model",
               "input 'x' has the dimension 4611686018427387904");
  model.inputs = {valueInfo("x", float32, {int64_t(1) << 30})};
  model.nodes = {
      node("Concat", "join", {"x", "x"}, {"a"}, {intAttribute("axis", 0)})};
  for (int i = 0; i < 10; ++i) {
    std::string from(1, static_cast<char>('a' + i));
    std::string to(1, static_cast<char>('b' + i));
    model.nodes.push_back(
        node("Concat", "", {from, from}, {to}, {intAttribute("axis", 0)}));
  }
  model.outputs = {valueInfo("k", float32, {-2})};
  checkRefused(model, "ingress-shape-mismatch",
               "output 0 has the dimension 2199023255552");
}

TEST_CASE("element types and containers are refused by name", "[ingress]") {
  TestModel model = smallModel();
  model.inputs = {valueInfo("x", 8, {2, 4})};
  checkRefused(model, "ingress-unsupported-type", "'string'");
  model.inputs = {valueInfo("x", 14, {2, 4})};
  checkRefused(model, "ingress-unsupported-type", "'complex64'");
  std::string sequence =
      Message().bytes(1, "x").bytes(2, Message().bytes(4, "").str()).str();
  model.inputs = {sequence};
  checkRefused(model, "ingress-unsupported-type", "a sequence");
}

TEST_CASE("what computes refuses the types that are only kept", "[ingress]") {
  TestModel model = smallModel();
  model.opset = 25;
  for (auto [number, name] : {std::pair(22, "'int4'"),
                              {17, "'float8e4m3fn'"},
                              {24, "'float8e8m0'"},
                              {25, "'uint2'"}}) {
    model.inputs = {valueInfo("x", number, {2, 4})};
    model.outputs = {valueInfo("y", number, {2, 4})};
    checkRefused(model, "ingress-unsupported-type",
                 std::string("node 'act' (Relu): input 0 has element type ") +
                     name);
  }
}

TEST_CASE("packed initialisers need their bytes", "[ingress]") {
  TestModel model = smallModel();
  model.opset = 25;
  auto weight = [](const std::string &bytes) {
    return Message()
        .varint(1, 3)
        .varint(2, 22)
        .bytes(8, "w")
        .bytes(9, bytes)
        .str();
  };
  model.nodes.push_back(
      node("Cast", "", {"w"}, {"z"}, {intAttribute("to", 1)}));
  for (const char *bytes : {"1", "111"}) {
    model.initializers = {weight(bytes)};
    checkRefused(model, "ingress-malformed-model",
                 "tensor 'w' takes 2 bytes, but the file holds");
  }
  model.initializers = {weight("11")};
  CHECK(importModel(model).succeeded);
}

TEST_CASE("a cast's rounding is one of three", "[ingress]") {
  TestModel model = smallModel();
  model.opset = 24;
  std::string mode =
      Message().bytes(1, "round_mode").bytes(4, "sideways").varint(20, 3).str();
  model.nodes = {
      node("Cast", "c", {"x"}, {"y"}, {intAttribute("to", 24), mode})};
  model.outputs = {valueInfo("y", 24, {2, 4})};
  checkRefused(model, "ingress-invalid-node", "round_mode is 'sideways'");
}

TEST_CASE("names must be defined before they are used", "[ingress]") {
  TestModel model = smallModel();
  model.nodes = {node("Relu", "a", {"q"}, {"p"}),
                 node("Relu", "b", {"p"}, {"q"}),
                 node("Relu", "c", {"x"}, {"y"})};
  checkRefused(model, "ingress-undefined-value", "node 'a' (Relu) uses 'q'");
  model = smallModel();
  model.outputs = {valueInfo("z", float32, {2, 4})};
  checkRefused(model, "ingress-undefined-value", "output 'z'");
}

TEST_CASE("a name may be defined once only", "[ingress]") {
  TestModel model = smallModel();
  model.nodes.push_back(node("Relu", "again", {"x"}, {"y"}));
  checkRefused(model, "ingress-duplicate-value", "'y' is defined twice");
}

TEST_CASE("shapes that cannot meet are refused", "[ingress]") {
  TestModel model = smallModel();
  model.outputs = {valueInfo("y", float32, {2, 5})};
  checkRefused(model, "ingress-shape-mismatch", "output 'y' has shape 2x4");
  model = smallModel();
  model.initializers = {floatTensor("w", {3}, {1, 2, 3})};
  model.nodes = {node("Add", "sum", {"x", "w"}, {"y"})};
  checkRefused(model, "ingress-shape-mismatch", "cannot broadcast 2x4 and 3");
  model = smallModel();
  model.nodes = {node("MatMul", "mm", {"x", "x"}, {"y"})};
  checkRefused(model, "ingress-shape-mismatch", "inner dimensions 4 and 2");
}

TEST_CASE("bound shapes must fit the declared ones", "[ingress]") {
  TestFolder folder;
  std::string path = folder.write("m.onnx", smallModel().str());
  CHECK(importFile(path, {{BoundShape{"x", {3, 4}}}})
            .has("ingress-shape-mismatch"));
  CHECK(importFile(path, {{BoundShape{"", {2, 4, 1}}}})
            .has("ingress-shape-mismatch"));
}

TEST_CASE("absurd attributes are refused", "[ingress]") {
  auto conv = [](const std::vector<std::string> &attributes,
                 const std::vector<int64_t> &kernel) {
    TestModel model = smallModel();
    size_t count = 1;
    for (int64_t size : kernel)
      count *= static_cast<size_t>(size);
    model.initializers = {floatTensor("w", kernel, std::vector<float>(count))};
    model.nodes = {node("Conv", "c", {"x", "w"}, {"y"}, attributes)};
    model.inputs = {valueInfo("x", float32, {1, 2, 8, 8})};
    model.outputs = {};
    return model;
  };
  int64_t huge = int64_t(1) << 62;
  checkRefused(conv({intsAttribute("strides", {0, 1})}, {2, 2, 3, 3}),
               "ingress-invalid-node", "'strides' holds 0");
  checkRefused(conv({intsAttribute("pads", {huge, 0, 0, 0})}, {2, 2, 3, 3}),
               "ingress-invalid-node", "'pads' holds");
  checkRefused(conv({intsAttribute("pads", {1, 1})}, {2, 2, 3, 3}),
               "ingress-invalid-node", "'pads' has 2 values");
  checkRefused(conv({intsAttribute("dilations", {9, 9})}, {2, 2, 3, 3}),
               "ingress-shape-mismatch", "the window spans 19 elements");
  checkRefused(conv({intAttribute("group", 0)}, {2, 2, 3, 3}),
               "ingress-shape-mismatch", "0 groups");
  checkRefused(conv({}, {2, 5, 3, 3}), "ingress-shape-mismatch", "do not fit");
  checkRefused(conv({}, {2, 2, 3}), "ingress-shape-mismatch", "one rank");
}

TEST_CASE("missing inputs and wrong axes are refused", "[ingress]") {
  TestModel model = smallModel();
  model.nodes = {node("Add", "sum", {"x"}, {"y"})};
  checkRefused(model, "ingress-invalid-node", "input 1 is missing");
  model.nodes = {node("Softmax", "s", {"x"}, {"y"}, {intAttribute("axis", 7)})};
  checkRefused(model, "ingress-invalid-node", "axis 7 is outside");
  model.nodes = {
      node("Transpose", "t", {"x"}, {"y"}, {intsAttribute("perm", {0, 0})})};
  checkRefused(model, "ingress-invalid-node", "axis 0 is given twice");
}

TEST_CASE("tensors must be as long as their shape says", "[ingress]") {
  TestModel model = smallModel();
  model.initializers = {floatTensor("w", {1000}, {1, 2, 3})};
  checkRefused(model, "ingress-malformed-model", "takes 4000 bytes");
  model.initializers = {floatTensor("w", {-5}, {1, 2, 3})};
  checkRefused(model, "ingress-malformed-model", "negative dimension -5");
  int64_t huge = int64_t(1) << 40;
  model.initializers = {floatTensor("w", {huge, huge}, {1})};
  checkRefused(model, "ingress-malformed-model", "too large");
}

TEST_CASE("external data must stay in the folder and in its file",
          "[ingress]") {
  auto model = [](const std::string &location, const std::string &offset,
                  const std::string &length) {
    TestModel result = smallModel();
    result.initializers = {
        externalTensor("w", {2048}, location, offset, length)};
    return result;
  };
  TestFolder folder;
  folder.write("w.bin", std::string(8192, '\0'));
  auto refuses = [&](const TestModel &each) {
    Imported result = importFile(folder.write("m.onnx", each.str()));
    INFO(result.messages());
    CHECK(result.has("ingress-external-data"));
  };
  refuses(model("../w.bin", "", ""));
  refuses(model("/etc/passwd", "", ""));
  refuses(model("missing.bin", "", ""));
  refuses(model("w.bin", "1", ""));
  refuses(model("w.bin", "-64", ""));
  refuses(model("w.bin", "0", "100"));
  CHECK(importFile(folder.write("m.onnx", model("w.bin", "0", "8192").str()))
            .succeeded);
}

/// A model with an operator of most families, for spoiling bytes.
static TestModel richModel() {
  TestModel model;
  model.nodes = {
      node("Conv", "c", {"x", "w", "b"}, {"a"},
           {intsAttribute("pads", {1, 1, 1, 1})}),
      node("MaxPool", "p", {"a"}, {"d"},
           {intsAttribute("kernel_shape", {2, 2}),
            intsAttribute("strides", {2, 2}), intAttribute("ceil_mode", 1)}),
      node("Reshape", "r", {"d", "shape"}, {"e"}),
      node("Gemm", "g", {"e", "v"}, {"f"}, {intAttribute("transB", 1)}),
      node("Softmax", "s", {"f"}, {"y"}, {intAttribute("axis", 1)})};
  model.initializers = {floatTensor("w", {2, 1, 3, 3}, std::vector<float>(18)),
                        floatTensor("b", {2}, {1, 2}),
                        int64Tensor("shape", {2}, {0, -1}),
                        floatTensor("v", {3, 8}, std::vector<float>(24))};
  model.inputs = {valueInfo("x", float32, {-1, 1, 4, 4})};
  model.outputs = {valueInfo("y", float32, {-1, 3})};
  return model;
}

TEST_CASE("a model truncated at any byte is refused or read", "[ingress]") {
  std::string bytes = richModel().str();
  TestFolder folder;
  REQUIRE(importFile(folder.write("m.onnx", bytes)).succeeded);
  unsigned refused = 0;
  for (size_t length = 0; length < bytes.size(); ++length) {
    Imported result =
        importFile(folder.write("m.onnx", bytes.substr(0, length)));
    CHECK(result.succeeded == result.diagnostics.empty());
    refused += !result.succeeded;
  }
  CHECK(refused > bytes.size() - 12);
}

TEST_CASE("a model with any byte changed never crashes", "[ingress]") {
  std::string bytes = richModel().str();
  TestFolder folder;
  for (size_t position = 0; position < bytes.size(); ++position)
    for (int change : {0x01, 0x7f, 0x80, 0xff}) {
      std::string spoilt = bytes;
      spoilt[position] = static_cast<char>(spoilt[position] ^ change);
      Imported result = importFile(folder.write("m.onnx", spoilt));
      CHECK(result.succeeded == result.diagnostics.empty());
    }
}
