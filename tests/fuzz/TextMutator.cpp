// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes text by words and lines, so that much of it still parses.
#include "TextMutator.h"

#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace {
using Random = std::minstd_rand;

bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ||
         c == '%' || c == '@' || c == '#' || c == '!';
}

/// The words of a text, and what stands between them.
std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (isOfWord(text[at]) && end < text.size() && isOfWord(text[end]))
      ++end;
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines(1);
  for (char c : text) {
    lines.back() += c;
    if (c == '\n')
      lines.emplace_back();
  }
  return lines;
}

std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += part;
  return text;
}

size_t any(Random &random, size_t count) { return random() % count; }

/// Numbers at the edges of what programs may hold.
constexpr const char *numbers[] = {"0",
                                   "1",
                                   "-1",
                                   "2",
                                   "3",
                                   "7",
                                   "-7",
                                   "2147483647",
                                   "65",
                                   "1000",
                                   "0.0",
                                   "9223372036854775807",
                                   "-9223372036854775808",
                                   "0x7FC00000",
                                   "?"};
constexpr const char *types[] = {
    "f32", "f16", "bf16", "f64",   "i1",       "i8",          "ui8",
    "i32", "i64", "i4",   "index", "f8E4M3FN", "complex<f32>"};

void changeWord(std::vector<std::string> &words, Random &random) {
  std::string &word = words[any(random, words.size())];
  switch (any(random, 5)) {
  case 0:
    word = numbers[any(random, std::size(numbers))];
    break;
  case 1:
    word = types[any(random, std::size(types))];
    break;
  case 2:
    word.clear();
    break;
  default:
    word = words[any(random, words.size())];
  }
}

void changeLine(std::vector<std::string> &lines, Random &random) {
  size_t from = any(random, lines.size()), to = any(random, lines.size());
  switch (any(random, 3)) {
  case 0:
    lines.erase(lines.begin() + ptrdiff_t(from));
    break;
  case 1:
    lines.insert(lines.begin() + ptrdiff_t(to), std::string(lines[from]));
    break;
  default:
    std::swap(lines[from], lines[to]);
  }
}
} // namespace

size_t lh::fuzz::mutateText(uint8_t *data, size_t size, size_t maxSize,
                            unsigned seed) {
  Random random(seed + 1);
  if (size == 0 || any(random, 8) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(reinterpret_cast<const char *>(data), size);
  if (any(random, 4) == 0) {
    std::vector<std::string> lines = linesOf(text);
    changeLine(lines, random);
    text = joined(lines);
  } else {
    std::vector<std::string> words = wordsOf(text);
    for (size_t left = 1 + any(random, 3); left > 0; --left)
      changeWord(words, random);
    text = joined(words);
  }
  size_t length = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), length);
  return length;
}
