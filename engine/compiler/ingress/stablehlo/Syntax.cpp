// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pieces of StableHLO's syntax.
#include "compiler/ingress/stablehlo/Syntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include "llvm/ADT/StringSwitch.h"

using namespace lh;
using namespace mlir;

using Delimiter = AsmParser::Delimiter;

ParseResult lh::readIntegers(AsmParser &parser, SmallVector<int64_t> &values) {
  return parser.parseCommaSeparatedList(
      Delimiter::Square, [&]() -> ParseResult {
        if (succeeded(parser.parseOptionalQuestion())) {
          values.push_back(ShapedType::kDynamic);
          return success();
        }
        return parser.parseInteger(values.emplace_back());
      });
}

/// A value in a structure: `3`, `[1, 2]`, `HIGHEST`, `array<i64: 1>`.
static ParseResult readField(AsmParser &parser, Attribute &value) {
  Builder &b = parser.getBuilder();
  SmallVector<int64_t> list;
  if (succeeded(parser.parseOptionalLSquare())) {
    if (succeeded(parser.parseOptionalRSquare())) {
      value = b.getDenseI64ArrayAttr({});
      return success();
    }
    do {
      if (succeeded(parser.parseOptionalQuestion()))
        list.push_back(ShapedType::kDynamic);
      else if (parser.parseInteger(list.emplace_back()))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    value = b.getDenseI64ArrayAttr(list);
    return parser.parseRSquare();
  }
  StringRef word;
  if (succeeded(parser.parseOptionalKeyword(&word, {"true", "false"}))) {
    value = b.getBoolAttr(word == "true");
    return success();
  }
  OptionalParseResult any = parser.parseOptionalAttribute(value);
  if (any.has_value()) {
    if (failed(*any))
      return failure();
    if (auto number = dyn_cast<IntegerAttr>(value);
        number && number.getType().isInteger(64))
      value = b.getDenseI64ArrayAttr({number.getInt()});
    return success();
  }
  if (parser.parseKeyword(&word))
    return failure();
  value = b.getStringAttr(word);
  return success();
}

ParseResult lh::readStructure(AsmParser &parser, Attribute &value) {
  NamedAttrList fields;
  auto readOne = [&]() -> ParseResult {
    StringRef name;
    Attribute field;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual() ||
        readField(parser, field))
      return failure();
    if (fields.get(name))
      return parser.emitError(at, "'") << name << "' is given twice";
    fields.append(name, field);
    return success();
  };
  if (parser.parseCommaSeparatedList(Delimiter::LessGreater, readOne))
    return failure();
  value = fields.getDictionary(parser.getContext());
  return success();
}

/// `[b, 0, 1, f]`: where the batch, the features and the spatial dimensions
/// are. `letters` pairs the letter of a dimension with its field's name.
static ParseResult
readDimensionSide(AsmParser &parser, StringRef spatialName,
                  ArrayRef<std::pair<StringRef, StringRef>> letters,
                  NamedAttrList &fields) {
  Builder &b = parser.getBuilder();
  SmallVector<int64_t> spatial;
  int64_t position = 0;
  auto readOne = [&]() -> ParseResult {
    int64_t number = 0;
    SMLoc at = parser.getCurrentLocation();
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value()) {
      if (failed(*isNumber))
        return failure();
      if (number < 0 || number > 16)
        return parser.emitError(at, "there is no such spatial dimension");
      if (spatial.size() <= static_cast<size_t>(number))
        spatial.resize(static_cast<size_t>(number) + 1, -1);
      spatial[static_cast<size_t>(number)] = position++;
      return success();
    }
    StringRef letter;
    if (succeeded(parser.parseOptionalQuestion())) {
      ++position;
      return success();
    }
    if (parser.parseKeyword(&letter))
      return failure();
    for (auto [known, field] : letters)
      if (letter == known) {
        fields.set(field, b.getI64IntegerAttr(position++));
        return success();
      }
    return parser.emitError(at, "no dimension is called '") << letter << "'";
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, readOne))
    return failure();
  fields.set(spatialName, b.getDenseI64ArrayAttr(spatial));
  return success();
}

ParseResult lh::readConvolutionDimensions(AsmParser &parser, Attribute &value) {
  NamedAttrList fields;
  if (readDimensionSide(
          parser, "input_spatial_dimensions",
          {{"b", "input_batch_dimension"}, {"f", "input_feature_dimension"}},
          fields) ||
      parser.parseKeyword("x") ||
      readDimensionSide(parser, "kernel_spatial_dimensions",
                        {{"i", "kernel_input_feature_dimension"},
                         {"o", "kernel_output_feature_dimension"}},
                        fields) ||
      parser.parseArrow() ||
      readDimensionSide(
          parser, "output_spatial_dimensions",
          {{"b", "output_batch_dimension"}, {"f", "output_feature_dimension"}},
          fields))
    return failure();
  value = fields.getDictionary(parser.getContext());
  return success();
}

Attribute lh::readAttribute(AsmParser &parser) {
  StringRef mnemonic, word;
  Attribute value;
  if (parser.parseKeyword(&mnemonic))
    return {};
  if (mnemonic == "conv") {
    if (parser.parseLess() || readConvolutionDimensions(parser, value) ||
        parser.parseGreater())
      return {};
    return value;
  }
  // #stablehlo<comparison_direction EQ>: a word.
  if (succeeded(parser.parseOptionalKeyword(&word)))
    return StringAttr::get(parser.getContext(), word);
  if (mnemonic == "result_accuracy_mode") {
    if (parser.parseLess() || parser.parseKeyword(&word) ||
        parser.parseGreater())
      return {};
    return StringAttr::get(parser.getContext(), word);
  }
  if (mnemonic == "bounds") {
    SmallVector<int64_t> bounds;
    auto readOne = [&]() -> ParseResult {
      if (succeeded(parser.parseOptionalQuestion())) {
        bounds.push_back(ShapedType::kDynamic);
        return success();
      }
      return parser.parseInteger(bounds.emplace_back());
    };
    if (parser.parseCommaSeparatedList(Delimiter::LessGreater, readOne))
      return {};
    return DenseI64ArrayAttr::get(parser.getContext(), bounds);
  }
  if (readStructure(parser, value))
    return {};
  return value;
}

/// `[0:2, 1:9:2]`.
static ParseResult readSlice(AsmParser &parser, NamedAttrList &attributes) {
  SmallVector<int64_t> starts, limits, strides;
  auto readOne = [&]() -> ParseResult {
    strides.push_back(1);
    if (parser.parseInteger(starts.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limits.emplace_back()))
      return failure();
    return succeeded(parser.parseOptionalColon())
               ? parser.parseInteger(strides.back())
               : ParseResult(success());
  };
  if (parser.parseCommaSeparatedList(Delimiter::Square, readOne))
    return failure();
  Builder &b = parser.getBuilder();
  attributes.set("start_indices", b.getDenseI64ArrayAttr(starts));
  attributes.set("limit_indices", b.getDenseI64ArrayAttr(limits));
  attributes.set("strides", b.getDenseI64ArrayAttr(strides));
  return success();
}

/// `, precision = [HIGHEST, DEFAULT], algorithm = <...>`, both optional.
static ParseResult readPrecision(AsmParser &parser, NamedAttrList &attributes) {
  Builder &b = parser.getBuilder();
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("precision"))) {
      SmallVector<Attribute> words;
      auto readOne = [&]() -> ParseResult {
        StringRef word;
        if (parser.parseKeyword(&word))
          return failure();
        words.push_back(b.getStringAttr(word));
        return success();
      };
      if (parser.parseEqual() ||
          parser.parseCommaSeparatedList(Delimiter::Square, readOne))
        return failure();
      attributes.set("precision_config", b.getArrayAttr(words));
      continue;
    }
    Attribute value;
    if (parser.parseKeyword("algorithm") || parser.parseEqual() ||
        readStructure(parser, value))
      return failure();
    attributes.set("algorithm", value);
  }
  return success();
}

/// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
static ParseResult readDotDimensions(AsmParser &parser,
                                     NamedAttrList &attributes) {
  SmallVector<int64_t> leftBatch, rightBatch, left, right;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) &&
      (parser.parseEqual() || readIntegers(parser, leftBatch) ||
       parser.parseKeyword("x") || readIntegers(parser, rightBatch) ||
       parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      readIntegers(parser, left) || parser.parseKeyword("x") ||
      readIntegers(parser, right))
    return failure();
  Builder &b = parser.getBuilder();
  auto field = [&](StringRef name, ArrayRef<int64_t> values) {
    return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
  };
  attributes.set(
      "dot_dimension_numbers",
      b.getDictionaryAttr({field("lhs_batching_dimensions", leftBatch),
                           field("rhs_batching_dimensions", rightBatch),
                           field("lhs_contracting_dimensions", left),
                           field("rhs_contracting_dimensions", right)}));
  return success();
}

/// `e8m10`, one word.
static ParseResult readExponentMantissa(AsmParser &parser,
                                        NamedAttrList &attributes) {
  StringRef word;
  SMLoc at = parser.getCurrentLocation();
  int exponent = 0, mantissa = 0;
  if (parser.parseKeyword(&word))
    return failure();
  StringRef rest = word;
  bool fits = rest.consume_front("e") && !rest.consumeInteger(10, exponent) &&
              rest.consume_front("m") && !rest.getAsInteger(10, mantissa);
  if (!fits)
    return parser.emitError(at, "'")
           << word << "' is no format; e8m10 is one of 8 exponent bits";
  Builder &b = parser.getBuilder();
  attributes.set("exponent_bits", b.getI32IntegerAttr(exponent));
  attributes.set("mantissa_bits", b.getI32IntegerAttr(mantissa));
  return success();
}

/// `stride = [2, 2], pad = [[1, 1], [1, 1]], reverse = [false, false]`.
static ParseResult readWindow(AsmParser &parser, NamedAttrList &attributes) {
  StringRef word;
  while (succeeded(parser.parseOptionalKeyword(&word))) {
    StringRef name = llvm::StringSwitch<StringRef>(word)
                         .Case("stride", "window_strides")
                         .Case("pad", "padding")
                         .Case("lhs_dilate", "lhs_dilation")
                         .Case("rhs_dilate", "rhs_dilation")
                         .Case("reverse", "window_reversal")
                         .Default("");
    if (name.empty())
      return parser.emitError(parser.getCurrentLocation(), "a window has no '")
             << word << "'";
    SmallVector<int64_t> values;
    auto readOne = [&]() -> ParseResult {
      StringRef truth;
      if (word == "pad")
        return readIntegers(parser, values);
      if (succeeded(parser.parseOptionalKeyword(&truth, {"true", "false"}))) {
        values.push_back(truth == "true");
        return success();
      }
      return parser.parseInteger(values.emplace_back());
    };
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(Delimiter::Square, readOne))
      return failure();
    attributes.set(name, parser.getBuilder().getDenseI64ArrayAttr(values));
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return success();
}

ParseResult lh::readPart(AsmParser &parser, StringRef name,
                         NamedAttrList &attributes) {
  if (name == "slice")
    return readSlice(parser, attributes);
  if (name == "precision")
    return readPrecision(parser, attributes);
  if (name == "dot-dimensions")
    return readDotDimensions(parser, attributes);
  if (name == "exponent-mantissa")
    return readExponentMantissa(parser, attributes);
  if (name == "window")
    return readWindow(parser, attributes);
  assert(name == "convolution-dimensions" && "a part that nobody reads");
  Attribute value;
  if (readConvolutionDimensions(parser, value))
    return failure();
  attributes.set("dimension_numbers", value);
  return success();
}
