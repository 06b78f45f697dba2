// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds small ONNX files for tests, well-formed or not.
#ifndef LH_TESTS_ONNX_TESTMODEL_H
#define LH_TESTS_ONNX_TESTMODEL_H

#include "../TestFolder.h"

#include "compiler/ingress/onnx/OnnxImporter.h"

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace lh::test {

/// Element types by their numbers in ONNX.
constexpr int float32 = 1, uint8 = 2, int8 = 3, int32 = 6, int64 = 7,
              boolean = 9, float16 = 10;

/// One protobuf message under construction.
class Message {
public:
  Message &varint(unsigned field, uint64_t value);
  Message &bytes(unsigned field, const std::string &value);
  Message &fixed32(unsigned field, float value);
  const std::string &str() const { return content; }

private:
  void key(unsigned field, unsigned wireType);
  void raw(uint64_t value);
  std::string content;
};

/// Dimension sizes; -1 is the symbol "n", -2 an unknown dimension.
std::string valueInfo(const std::string &name, int elementType,
                      const std::vector<int64_t> &shape);
std::string floatTensor(const std::string &name,
                        const std::vector<int64_t> &shape,
                        const std::vector<float> &values);
std::string int64Tensor(const std::string &name,
                        const std::vector<int64_t> &shape,
                        const std::vector<int64_t> &values);
std::string externalTensor(const std::string &name,
                           const std::vector<int64_t> &shape,
                           const std::string &location,
                           const std::string &offset,
                           const std::string &length);
std::string intAttribute(const std::string &name, int64_t value);
std::string intsAttribute(const std::string &name,
                          const std::vector<int64_t> &values);
std::string textAttribute(const std::string &name, const std::string &value);
std::string node(const std::string &op, const std::string &name,
                 const std::vector<std::string> &inputs,
                 const std::vector<std::string> &outputs,
                 const std::vector<std::string> &attributes = {});

/// A node of the domain "own".
std::string call(const std::string &function,
                 const std::vector<std::string> &inputs,
                 const std::vector<std::string> &outputs);
std::string graphAttribute(const std::string &name,
                           const std::vector<std::string> &nodes,
                           const std::vector<std::string> &inputs,
                           const std::vector<std::string> &outputs);
/// A function of the domain "own", opset 13.
std::string function(const std::string &name,
                     const std::vector<std::string> &inputs,
                     const std::vector<std::string> &outputs,
                     const std::vector<std::string> &nodes);

/// The parts of a model; str() is the file.
struct TestModel {
  int64_t irVersion = 8, opset = 13;
  std::vector<std::string> nodes, initializers, inputs, outputs, functions;

  std::string str() const;
};

/// What an import gave: the module as text, or the diagnostics.
struct Imported {
  bool succeeded = false;
  std::string text;
  std::vector<Diagnostic> diagnostics;

  bool has(const std::string &kind) const;
  std::string messages() const;
};

Imported importFile(const std::string &path,
                    std::optional<std::vector<BoundShape>> shapes = {});
Imported importModel(const TestModel &model);

/// The import fails with a diagnostic of this kind, and says `words`.
void checkRefused(const TestModel &model, const std::string &kind,
                  const std::string &words);
/// The same, and says nothing else.
void checkRefusedOnce(const TestModel &model, const std::string &kind,
                      const std::string &words);

} // namespace lh::test

#endif // LH_TESTS_ONNX_TESTMODEL_H
