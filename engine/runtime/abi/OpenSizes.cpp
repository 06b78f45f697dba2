// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An open dimension is as large as its name says, or as the case says.
#include "runtime/abi/OpenSizes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace lh;

using Sizes = std::map<std::string, int64_t>;

namespace {
/// Reads and computes at once; gives up by none.
class SizeExpression {
public:
  SizeExpression(StringRef text, const Sizes &known)
      : rest(text), known(known) {}

  std::optional<int64_t> evaluate() {
    std::optional<int64_t> size = sum();
    return rest.ltrim().empty() ? size : std::nullopt;
  }

private:
  bool take(StringRef sign) {
    rest = rest.ltrim();
    return rest.consume_front(sign);
  }

  std::optional<int64_t> sum() {
    std::optional<int64_t> left = product();
    while (left) {
      bool adds = take("+");
      if (!adds && !take("-"))
        break;
      std::optional<int64_t> right = product();
      int64_t size = 0;
      if (!right || (adds ? llvm::AddOverflow(*left, *right, size)
                          : llvm::SubOverflow(*left, *right, size)))
        return std::nullopt;
      left = size;
    }
    return left;
  }

  std::optional<int64_t> product() {
    std::optional<int64_t> left = atom();
    while (left) {
      bool multiplies = take("*");
      if (!multiplies && !take("//") && !take("/"))
        break;
      std::optional<int64_t> right = atom();
      int64_t size = 0;
      if (!right || (multiplies ? llvm::MulOverflow(*left, *right, size) != 0
                                : *right <= 0))
        return std::nullopt;
      left = multiplies ? size : llvm::divideFloorSigned(*left, *right);
    }
    return left;
  }

  std::optional<int64_t> atom() {
    if (take("(")) {
      std::optional<int64_t> inner = sum();
      return take(")") ? inner : std::nullopt;
    }
    StringRef word = rest.take_while(
        [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
    rest = rest.drop_front(word.size());
    int64_t number = 0;
    if (!word.getAsInteger(10, number))
      return number;
    auto size = known.find(word.str());
    return size == known.end() ? std::nullopt : std::optional(size->second);
  }

  StringRef rest;
  const Sizes &known;
};
} // namespace

std::optional<int64_t> lh::evaluateSize(StringRef expression,
                                        const Sizes &known) {
  return SizeExpression(expression, known).evaluate();
}

/// Whether a name is one word, so that no other name decides its size.
static bool isPlain(StringRef name) {
  return name.find_first_of("+-*/()") == StringRef::npos;
}

void OpenSizes::learn(const TensorSignature &input, ArrayRef<int64_t> shape) {
  for (size_t i = 0; i < input.symbols.size() && i < shape.size(); ++i)
    if (!input.symbols[i].empty())
      byName.try_emplace(input.symbols[i], shape[i]);
}

void OpenSizes::nameSizes(const TensorSignature &input) {
  for (size_t i = 0; i < input.symbols.size(); ++i)
    if (areKnown() && !input.symbols[i].empty() && isPlain(input.symbols[i]))
      byName.try_emplace(input.symbols[i], sizeOf(i));
}

std::vector<int64_t> OpenSizes::close(const TensorSignature &input) {
  std::vector<int64_t> shape = input.shape;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0)
      continue;
    shape[i] = sizeOf(i);
    if (i >= input.symbols.size())
      continue;
    const std::string &name = input.symbols[i];
    if (auto known = byName.find(name); known != byName.end())
      shape[i] = known->second;
    else if (auto size = evaluateSize(name, byName); size && *size >= 0)
      shape[i] = *size;
  }
  learn(input, shape);
  return shape;
}
