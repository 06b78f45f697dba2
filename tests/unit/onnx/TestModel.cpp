// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The writer behind TestModel.h.
#include "TestModel.h"

#include "llvm/Support/raw_ostream.h"

#include <cstring>

using namespace lh;
using namespace lh::test;

void Message::raw(uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    content.push_back(static_cast<char>(value | 0x80));
  content.push_back(static_cast<char>(value));
}

void Message::key(unsigned field, unsigned wireType) {
  raw(uint64_t(field) << 3 | wireType);
}

Message &Message::varint(unsigned field, uint64_t value) {
  key(field, 0);
  raw(value);
  return *this;
}

Message &Message::bytes(unsigned field, const std::string &value) {
  key(field, 2);
  raw(value.size());
  content += value;
  return *this;
}

Message &Message::fixed32(unsigned field, float value) {
  key(field, 5);
  content.append(reinterpret_cast<const char *>(&value), sizeof(value));
  return *this;
}

std::string lh::test::valueInfo(const std::string &name, int elementType,
                                const std::vector<int64_t> &shape) {
  Message dims;
  for (int64_t size : shape) {
    Message dim;
    if (size >= 0)
      dim.varint(1, static_cast<uint64_t>(size));
    else if (size == -1)
      dim.bytes(2, "n");
    else if (size < -2)
      dim.varint(1, static_cast<uint64_t>(size));
    dims.bytes(1, dim.str());
  }
  Message tensor, type, info;
  tensor.varint(1, static_cast<uint64_t>(elementType)).bytes(2, dims.str());
  type.bytes(1, tensor.str());
  return info.bytes(1, name).bytes(2, type.str()).str();
}

static Message tensorHeader(const std::string &name, uint64_t type,
                            const std::vector<int64_t> &shape) {
  Message tensor;
  for (int64_t size : shape)
    tensor.varint(1, static_cast<uint64_t>(size));
  tensor.varint(2, type).bytes(8, name);
  return tensor;
}

template <typename T> static std::string rawBytes(const std::vector<T> &list) {
  return {reinterpret_cast<const char *>(list.data()), list.size() * sizeof(T)};
}

std::string lh::test::floatTensor(const std::string &name,
                                  const std::vector<int64_t> &shape,
                                  const std::vector<float> &values) {
  return tensorHeader(name, 1, shape).bytes(9, rawBytes(values)).str();
}

std::string lh::test::int64Tensor(const std::string &name,
                                  const std::vector<int64_t> &shape,
                                  const std::vector<int64_t> &values) {
  return tensorHeader(name, 7, shape).bytes(9, rawBytes(values)).str();
}

std::string lh::test::externalTensor(const std::string &name,
                                     const std::vector<int64_t> &shape,
                                     const std::string &location,
                                     const std::string &offset,
                                     const std::string &length) {
  Message tensor = tensorHeader(name, 1, shape);
  auto entry = [&](const std::string &key, const std::string &value) {
    if (!value.empty())
      tensor.bytes(13, Message().bytes(1, key).bytes(2, value).str());
  };
  entry("location", location);
  entry("offset", offset);
  entry("length", length);
  return tensor.varint(14, 1).str();
}

std::string lh::test::intAttribute(const std::string &name, int64_t value) {
  return Message()
      .bytes(1, name)
      .varint(3, static_cast<uint64_t>(value))
      .varint(20, 2)
      .str();
}

std::string lh::test::intsAttribute(const std::string &name,
                                    const std::vector<int64_t> &values) {
  Message attribute;
  attribute.bytes(1, name);
  for (int64_t value : values)
    attribute.varint(8, static_cast<uint64_t>(value));
  return attribute.varint(20, 7).str();
}

std::string lh::test::textAttribute(const std::string &name,
                                    const std::string &value) {
  return Message().bytes(1, name).bytes(4, value).varint(20, 3).str();
}

std::string lh::test::node(const std::string &op, const std::string &name,
                           const std::vector<std::string> &inputs,
                           const std::vector<std::string> &outputs,
                           const std::vector<std::string> &attributes) {
  Message message;
  for (const std::string &input : inputs)
    message.bytes(1, input);
  for (const std::string &output : outputs)
    message.bytes(2, output);
  message.bytes(3, name).bytes(4, op);
  for (const std::string &attribute : attributes)
    message.bytes(5, attribute);
  return message.str();
}

std::string lh::test::call(const std::string &function,
                           const std::vector<std::string> &inputs,
                           const std::vector<std::string> &outputs) {
  return node(function, "", inputs, outputs) + Message().bytes(7, "own").str();
}

static void append(Message &message, unsigned field,
                   const std::vector<std::string> &list) {
  for (const std::string &each : list)
    message.bytes(field, each);
}

static std::string graphOf(const std::vector<std::string> &nodes,
                           const std::vector<std::string> &initializers,
                           const std::vector<std::string> &inputs,
                           const std::vector<std::string> &outputs) {
  Message graph;
  append(graph, 1, nodes);
  graph.bytes(2, "graph");
  append(graph, 5, initializers);
  append(graph, 11, inputs);
  append(graph, 12, outputs);
  return graph.str();
}

std::string lh::test::graphAttribute(const std::string &name,
                                     const std::vector<std::string> &nodes,
                                     const std::vector<std::string> &inputs,
                                     const std::vector<std::string> &outputs) {
  return Message()
      .bytes(1, name)
      .bytes(6, graphOf(nodes, {}, inputs, outputs))
      .varint(20, 5)
      .str();
}

static std::string opsetId(const std::string &domain, int64_t version) {
  return Message()
      .bytes(1, domain)
      .varint(2, static_cast<uint64_t>(version))
      .str();
}

std::string lh::test::function(const std::string &name,
                               const std::vector<std::string> &inputs,
                               const std::vector<std::string> &outputs,
                               const std::vector<std::string> &nodes) {
  Message message;
  message.bytes(1, name);
  append(message, 4, inputs);
  append(message, 5, outputs);
  append(message, 7, nodes);
  return message.bytes(9, opsetId("", 13)).bytes(10, "own").str();
}

std::string TestModel::str() const {
  Message model;
  model.varint(1, static_cast<uint64_t>(irVersion))
      .bytes(7, graphOf(nodes, initializers, inputs, outputs))
      .bytes(8, opsetId("", opset))
      .bytes(8, opsetId("own", 1));
  append(model, 25, functions);
  return model.str();
}

bool Imported::has(const std::string &kind) const {
  for (const Diagnostic &diagnostic : diagnostics)
    if (kindName(diagnostic.kind) == kind)
      return true;
  return false;
}

std::string Imported::messages() const {
  std::string all;
  for (const Diagnostic &diagnostic : diagnostics)
    all += diagnostic.message + " [" + kindName(diagnostic.kind).str() + "]\n";
  return all;
}

Imported lh::test::importFile(const std::string &path,
                              std::optional<std::vector<BoundShape>> shapes) {
  static mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  CollectingSink sink;
  auto module = importOnnx({path, std::move(shapes)}, context, sink);
  Imported result;
  result.diagnostics = sink.take();
  result.succeeded = succeeded(module);
  if (result.succeeded) {
    llvm::raw_string_ostream stream(result.text);
    mlir::OpPrintingFlags flags;
    (*module)->print(stream, flags.elideLargeElementsAttrs());
  }
  return result;
}

Imported lh::test::importModel(const TestModel &model) {
  TestFolder folder;
  return importFile(folder.write("model.onnx", model.str()));
}

static void checkFailure(const Imported &result, const std::string &kind,
                         const std::string &words) {
  INFO(kind << ": " << result.messages());
  CHECK_FALSE(result.succeeded);
  CHECK(result.has(kind));
  CHECK_THAT(result.messages(), Catch::Matchers::Contains(words));
}

void lh::test::checkRefused(const TestModel &model, const std::string &kind,
                            const std::string &words) {
  checkFailure(importModel(model), kind, words);
}

void lh::test::checkRefusedOnce(const TestModel &model, const std::string &kind,
                                const std::string &words) {
  Imported result = importModel(model);
  checkFailure(result, kind, words);
  CHECK(result.diagnostics.size() == 1);
}
