// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ModelProto and what it holds, read by field number (stable public facts).
#include "compiler/ingress/onnx/OnnxParser.h"

#include "compiler/ingress/onnx/WireReader.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using namespace lh;

/// A length-delimited field's bytes; false for other wire types.
static bool text(const WireField &field, std::string_view &value) {
  value = field.bytes;
  return field.isBytes();
}

static bool integer(const WireField &field, int64_t &value) {
  value = field.asInt();
  return field.isVarint();
}

template <typename T>
static bool message(const WireField &field, std::vector<T> &list,
                    bool (*parse)(std::string_view, T &)) {
  if (!field.isBytes())
    return false;
  return parse(field.bytes, list.emplace_back());
}

/// Stores integers in the element type's width, as TensorProto's int32_data,
/// int64_data and uint64_data keep them wider than the tensor.
static void storeIntegers(ArrayRef<int64_t> values, size_t width,
                          std::string &bytes) {
  for (int64_t value : values)
    bytes.append(reinterpret_cast<const char *>(&value), width);
}

static bool parseEntry(std::string_view bytes, std::string_view &key,
                       std::string_view &value) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number == 1)
      return text(field, key);
    if (field.number == 2)
      return text(field, value);
    return true;
  });
}

static bool parseExternal(std::string_view bytes, OnnxTensor &tensor) {
  std::string_view key, value;
  if (!parseEntry(bytes, key, value))
    return false;
  if (key == "location") {
    tensor.location = value;
    return true;
  }
  if (key != "offset" && key != "length")
    return true;
  int64_t number = 0;
  if (!llvm::to_integer(StringRef(value), number, 10))
    return false;
  if (key == "offset")
    tensor.externalOffset = number;
  else
    tensor.externalLength = number;
  return true;
}

/// What the typed data fields of a TensorProto hold until its type is known.
struct TypedData {
  std::vector<int64_t> integers;
  std::string fixed;
  /// The single packed field, when there is just one: read in place.
  std::string_view packed;
  unsigned fields = 0;
  bool hasStrings = false;
};

static bool parseFixed(const WireField &field, size_t width, TypedData &typed) {
  if (++typed.fields == 1 && field.isBytes()) {
    typed.packed = field.bytes;
    return field.bytes.size() % width == 0;
  }
  typed.fixed.append(typed.packed);
  typed.packed = {};
  return appendFixed(field, width, typed.fixed);
}

static void finishTensor(OnnxTensor &tensor, TypedData &typed) {
  if (tensor.isExternal || !tensor.raw.empty())
    return;
  if (!typed.packed.empty()) {
    tensor.raw = typed.packed;
    return;
  }
  if (typed.fields == 0 && typed.integers.empty())
    return;
  tensor.owned = std::make_shared<std::string>(std::move(typed.fixed));
  if (std::optional<DType> dtype = dtypeOfOnnx(tensor.dataType))
    storeIntegers(typed.integers, byteSize(*dtype), *tensor.owned);
  tensor.raw = *tensor.owned;
}

static bool parseTensor(std::string_view bytes, OnnxTensor &tensor) {
  TypedData typed;
  bool good = forEachField(bytes, [&](const WireField &field) {
    int64_t location = 0;
    switch (field.number) {
    case 1:
      return appendIntegers(field, tensor.dims);
    case 2:
      return integer(field, tensor.dataType);
    case 4:
      return parseFixed(field, 4, typed);
    case 5:
    case 7:
    case 11:
      return appendIntegers(field, typed.integers);
    case 8:
      return text(field, tensor.name);
    case 9:
      return text(field, tensor.raw);
    case 10:
      return parseFixed(field, 8, typed);
    case 13:
      return field.isBytes() && parseExternal(field.bytes, tensor);
    case 14:
      if (!integer(field, location))
        return false;
      tensor.isExternal = location == 1;
      return true;
    default:
      return true;
    }
  });
  if (good)
    finishTensor(tensor, typed);
  return good;
}

static bool appendFloats(const WireField &field, std::vector<float> &values) {
  std::string bytes;
  if (!appendFixed(field, 4, bytes))
    return false;
  size_t before = values.size();
  values.resize(before + bytes.size() / 4);
  if (!bytes.empty())
    std::memcpy(values.data() + before, bytes.data(), bytes.size());
  return true;
}

/// Only noted: parseSubgraphs() reads it, so that nesting takes no stack.
static bool noteGraph(const WireField &field, OnnxAttribute &attribute) {
  attribute.graph = std::make_shared<OnnxGraph>();
  attribute.graph->bytes = field.bytes;
  return field.isBytes();
}

static bool parseAttribute(std::string_view bytes, OnnxAttribute &attribute) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return text(field, attribute.name);
    case 2:
      attribute.f = field.asFloat();
      return field.kind == WireField::Kind::Fixed32;
    case 3:
      return integer(field, attribute.i);
    case 4:
      return text(field, attribute.s);
    case 5:
      attribute.tensor = std::make_shared<OnnxTensor>();
      return field.isBytes() && parseTensor(field.bytes, *attribute.tensor);
    case 6:
      return noteGraph(field, attribute);
    case 7:
      return appendFloats(field, attribute.floats);
    case 8:
      return appendIntegers(field, attribute.ints);
    case 9:
      return text(field, attribute.strings.emplace_back());
    case 20:
      return integer(field, attribute.type);
    case 21:
      return text(field, attribute.reference);
    default:
      return true;
    }
  });
}

static bool parseNode(std::string_view bytes, OnnxNode &node) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return text(field, node.inputs.emplace_back());
    case 2:
      return text(field, node.outputs.emplace_back());
    case 3:
      return text(field, node.name);
    case 4:
      return text(field, node.opType);
    case 5:
      return message(field, node.attributes, parseAttribute);
    case 7:
      return text(field, node.domain);
    case 8:
      return text(field, node.overload);
    default:
      return true;
    }
  });
}

static bool parseDim(std::string_view bytes, OnnxDim &dim) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number == 1)
      return integer(field, dim.size.emplace());
    if (field.number == 2)
      return text(field, dim.symbol);
    return true;
  });
}

static bool parseShape(std::string_view bytes, std::vector<OnnxDim> &dims) {
  return forEachField(bytes, [&](const WireField &field) {
    return field.number != 1 || message(field, dims, parseDim);
  });
}

static bool parseTensorType(std::string_view bytes, OnnxValueInfo &info) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number == 1)
      return integer(field, info.elementType);
    if (field.number == 2)
      return field.isBytes() && parseShape(field.bytes, info.shape.emplace());
    return true;
  });
}

/// What a sequence or an optional has; types nest without end.
static bool parseElement(std::string_view bytes, OnnxValueInfo &info,
                         bool isInner) {
  using Kind = OnnxValueInfo::Kind;
  return forEachField(bytes, [&](const WireField &type) {
    if (type.number != 1)
      return true;
    return type.isBytes() && forEachField(type.bytes, [&](const WireField &f) {
             if (f.number == 1) {
               info.element = isInner ? Kind::Sequence : Kind::Tensor;
               return f.isBytes() && parseTensorType(f.bytes, info);
             }
             if (f.number == 4 && info.kind == Kind::Optional && !isInner)
               return f.isBytes() && parseElement(f.bytes, info, true);
             return true;
           });
  });
}

static bool parseType(std::string_view bytes, OnnxValueInfo &info) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      info.kind = OnnxValueInfo::Kind::Tensor;
      return field.isBytes() && parseTensorType(field.bytes, info);
    case 4:
      info.kind = OnnxValueInfo::Kind::Sequence;
      return field.isBytes() && parseElement(field.bytes, info, false);
    case 5:
      info.kind = OnnxValueInfo::Kind::Map;
      return true;
    case 8:
      info.kind = OnnxValueInfo::Kind::SparseTensor;
      return true;
    case 9:
      info.kind = OnnxValueInfo::Kind::Optional;
      return field.isBytes() && parseElement(field.bytes, info, false);
    default:
      return true;
    }
  });
}

static bool parseValueInfo(std::string_view bytes, OnnxValueInfo &info) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number == 1)
      return text(field, info.name);
    if (field.number == 2)
      return field.isBytes() && parseType(field.bytes, info);
    return true;
  });
}

/// SparseTensorProto: only the name of its values, to refuse it by name.
static bool parseSparse(std::string_view bytes, std::string_view &name) {
  return forEachField(bytes, [&](const WireField &field) {
    OnnxTensor values;
    if (field.number != 1)
      return true;
    if (!field.isBytes() || !parseTensor(field.bytes, values))
      return false;
    name = values.name;
    return true;
  });
}

static bool addNode(const WireField &field, std::vector<OnnxNode> &nodes) {
  if (!message(field, nodes, parseNode))
    return false;
  nodes.back().index = nodes.size() - 1;
  return true;
}

static bool parseGraph(std::string_view bytes, OnnxGraph &graph) {
  return forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return addNode(field, graph.nodes);
    case 2:
      return text(field, graph.name);
    case 5:
      return message(field, graph.initializers, parseTensor);
    case 11:
      return message(field, graph.inputs, parseValueInfo);
    case 12:
      return message(field, graph.outputs, parseValueInfo);
    case 15:
      return message(field, graph.sparseInitializers, parseSparse);
    default:
      return true;
    }
  });
}

static constexpr unsigned maxNesting = 64;

using NodeLists = std::vector<std::vector<OnnxNode> *>;

/// Reads the graphs that attributes of `nodes` hold, one level deep.
static bool parseInner(std::vector<OnnxNode> &nodes, NodeLists &inner) {
  for (OnnxNode &node : nodes)
    for (OnnxAttribute &attribute : node.attributes) {
      OnnxGraph *graph = attribute.graph.get();
      if (graph && !parseGraph(graph->bytes, *graph))
        return false;
      if (graph)
        inner.push_back(&graph->nodes);
    }
  return true;
}

static bool parseSubgraphs(std::vector<OnnxNode> &nodes) {
  NodeLists level{&nodes};
  for (unsigned depth = 0; !level.empty(); ++depth) {
    NodeLists next;
    for (std::vector<OnnxNode> *list : level)
      if (depth == maxNesting || !parseInner(*list, next))
        return false;
    level = std::move(next);
  }
  return true;
}

static bool parseOpset(std::string_view bytes, OnnxOpset &opset) {
  return forEachField(bytes, [&](const WireField &field) {
    if (field.number == 1)
      return text(field, opset.domain);
    if (field.number == 2)
      return integer(field, opset.version);
    return true;
  });
}

static bool parseFunction(std::string_view bytes, OnnxFunction &function) {
  bool good = forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return text(field, function.name);
    case 4:
      return text(field, function.inputs.emplace_back());
    case 5:
      return text(field, function.outputs.emplace_back());
    case 7:
      return addNode(field, function.nodes);
    case 9:
      return message(field, function.opsets, parseOpset);
    case 10:
      return text(field, function.domain);
    case 11:
      return message(field, function.defaults, parseAttribute);
    case 13:
      return text(field, function.overload);
    default:
      return true;
    }
  });
  return good && parseSubgraphs(function.nodes);
}

bool lh::parseOnnxModel(std::string_view bytes, OnnxModel &model) {
  bool hasGraph = false;
  bool good = forEachField(bytes, [&](const WireField &field) {
    switch (field.number) {
    case 1:
      return integer(field, model.irVersion);
    case 7:
      hasGraph = true;
      return field.isBytes() && parseGraph(field.bytes, model.graph);
    case 8:
      return message(field, model.opsets, parseOpset);
    case 25:
      return message(field, model.functions, parseFunction);
    default:
      return true;
    }
  });
  model.opset = versionOf("", model.opsets);
  return good && hasGraph && parseSubgraphs(model.graph.nodes);
}
