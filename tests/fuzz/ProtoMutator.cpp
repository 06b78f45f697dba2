// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mutations: one small change to one message of the tree.
#include "ProtoTree.h"

#include <bit>
#include <cstring>
#include <map>
#include <random>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

using namespace lh;
using namespace lh::fuzz;

/// A field number of one kind of message.
using Slot = std::pair<Kind, uint32_t>;

namespace {

/// Numbers that programs trip over, and small ones that they handle.
constexpr int64_t oddNumbers[] = {
    0,         1,         -1,        2,         3,         -2,
    4,         5,         7,         8,         16,        64,
    127,       255,       256,       1 << 16,   1LL << 31, -1LL << 31,
    1LL << 32, 1LL << 40, 1LL << 62, INT64_MIN, INT64_MAX, -(1 << 20)};
constexpr float oddFloats[] = {0.0f,  -0.0f, 1.0f,     -1.0f,     0.5f, 2.0f,
                               1e-8f, 1e30f, INFINITY, -INFINITY, NAN,  1e-45f};

/// Pieces of the inputs seen so far, to be planted into others.
class Pool {
public:
  void learn(Kind kind, const std::vector<Field> &fields,
             std::minstd_rand &random) {
    for (const Field &field : fields) {
      keep({kind, field.number}, field, random);
      if (field.isMessage())
        learn(field.kind, field.children, random);
    }
  }
  const Field *any(Slot slot, std::minstd_rand &random) const {
    auto found = pieces.find(slot);
    if (found == pieces.end())
      return nullptr;
    return &found->second[random() % found->second.size()];
  }

private:
  void keep(Slot slot, const Field &field, std::minstd_rand &random) {
    static constexpr size_t maxPieces = 400, maxBytes = 2000;
    if (field.bytes.size() > maxBytes)
      return;
    std::vector<Field> &known = pieces[slot];
    if (known.size() < maxPieces)
      known.push_back(field);
    else
      known[random() % maxPieces] = field;
  }
  std::map<Slot, std::vector<Field>> pieces;
};

/// One mutation of one tree.
class Mutation {
public:
  Mutation(Kind kind, std::vector<Field> &root, const Pool &pool,
           std::minstd_rand &random)
      : pool(pool), random(random) {
    collect(kind, root);
  }

  void apply() {
    Message &message = pickMessage();
    if (message.kind == Kind::Tensor && oneIn(3))
      return refill(*message.fields);
    if (message.kind == Kind::Node && oneIn(4))
      return rewire(*message.fields);
    change(message);
  }

private:
  struct Message {
    Kind kind;
    std::vector<Field> *fields;
  };

  bool oneIn(unsigned n) { return random() % n == 0; }
  size_t below(size_t n) { return random() % n; }
  int64_t number() {
    return oneIn(2) ? static_cast<int64_t>(below(6)) - 1
                    : oddNumbers[below(std::size(oddNumbers))];
  }

  void collect(Kind kind, std::vector<Field> &fields) {
    messages.push_back({kind, &fields});
    for (Field &field : fields) {
      bool isName =
          field.isText() && ((kind == Kind::Node && field.number == 2) ||
                             (kind == Kind::Tensor && field.number == 8) ||
                             (kind == Kind::ValueInfo && field.number == 1));
      if (isName)
        names.push_back(field.bytes);
      if (field.isMessage())
        collect(field.kind, field.children);
    }
  }

  /// Nodes and what they hold are what it is about.
  Message &pickMessage() {
    Message *picked = &messages[below(messages.size())];
    for (unsigned tries = 0; tries < 3; ++tries) {
      if (picked->kind == Kind::Node || picked->kind == Kind::Attribute ||
          picked->kind == Kind::Tensor)
        break;
      picked = &messages[below(messages.size())];
    }
    return *picked;
  }

  void change(Message &message) {
    std::vector<Field> &fields = *message.fields;
    if (fields.empty() || oneIn(8))
      return plant(message);
    size_t at = below(fields.size());
    switch (below(8)) {
    case 0:
      fields.erase(fields.begin() + static_cast<ptrdiff_t>(at));
      return;
    case 1: {
      Field copy = fields[at];
      fields.insert(fields.begin() +
                        static_cast<ptrdiff_t>(below(fields.size() + 1)),
                    std::move(copy));
      return;
    }
    case 2:
      std::swap(fields[at], fields[below(fields.size())]);
      return;
    default:
      return changeValue(message.kind, fields[at]);
    }
  }

  /// Adds a piece of another input; a node's names are then made to fit.
  void plant(Message &message) {
    auto slot = static_cast<uint32_t>(1 + below(20));
    if (message.kind == Kind::Graph)
      slot = 1;
    if (message.kind == Kind::Node)
      slot = 5;
    const Field *piece = pool.any({message.kind, slot}, random);
    if (!piece)
      return;
    message.fields->push_back(*piece);
    if (message.fields->back().kind == Kind::Node)
      rewire(message.fields->back().children);
  }

  /// A node that reads values which exist.
  void rewire(std::vector<Field> &node) {
    for (Field &field : node)
      if (field.number == 1 && field.isText() && !names.empty() && !oneIn(4))
        field.bytes = names[below(names.size())];
  }

  void changeValue(Kind kind, Field &field) {
    if (field.isMessage()) {
      if (const Field *piece = pool.any({kind, field.number}, random))
        field = *piece;
      return;
    }
    switch (field.wire) {
    case WireField::Kind::Varint:
      field.scalar =
          oneIn(4) ? field.scalar + 1 : static_cast<uint64_t>(number());
      return;
    case WireField::Kind::Fixed32:
      field.scalar =
          std::bit_cast<uint32_t>(oddFloats[below(std::size(oddFloats))]);
      return;
    case WireField::Kind::Fixed64:
      field.scalar = random() * uint64_t(0x9E3779B97F4A7C15);
      return;
    case WireField::Kind::Bytes:
      return changeBytes(kind, field);
    }
  }

  static bool isPacked(Kind kind, uint32_t number) {
    if (kind == Kind::Attribute)
      return number == 8;
    return kind == Kind::Tensor && (number == 1 || number == 5 || number == 7);
  }

  void changeBytes(Kind kind, Field &field) {
    if (isPacked(kind, field.number))
      return changePacked(field);
    if (kind == Kind::Node && field.number <= 2 && !names.empty() && oneIn(2)) {
      field.bytes = names[below(names.size())];
      return;
    }
    const Field *piece = pool.any({kind, field.number}, random);
    if (piece && piece->isText() && !oneIn(4)) {
      field.bytes = piece->bytes;
      return;
    }
    size_t size = field.bytes.size();
    field.bytes.resize(size + 16);
    field.bytes.resize(LLVMFuzzerMutate(
        reinterpret_cast<uint8_t *>(field.bytes.data()), size, size + 16));
  }

  void changePacked(Field &field) {
    WireField wire{field.number, WireField::Kind::Bytes, 0, field.bytes};
    std::vector<int64_t> values;
    (void)appendIntegers(wire, values);
    if (values.empty() || oneIn(4))
      values.push_back(number());
    else if (oneIn(4))
      values.pop_back();
    else
      values[below(values.size())] = number();
    field.bytes.clear();
    for (int64_t value : values)
      appendVarint(field.bytes, static_cast<uint64_t>(value));
  }

  /// Gives a tensor a small shape and as many bytes as that takes.
  void refill(std::vector<Field> &tensor) {
    static constexpr struct {
      uint64_t type;
      size_t bytes;
    } types[] = {{1, 4}, {7, 8},  {6, 4},  {9, 1},  {2, 1},
                 {3, 1}, {10, 2}, {11, 8}, {13, 8}, {16, 2}};
    auto type = types[oneIn(2) ? below(2) : below(std::size(types))];
    std::erase_if(tensor, [](const Field &field) { return field.number != 8; });
    size_t bytes = type.bytes;
    for (size_t rank = below(4); rank > 0; --rank) {
      size_t dim = oneIn(8) ? below(10) : 1 + below(3);
      tensor.push_back(varintField(1, dim));
      bytes *= dim;
    }
    tensor.push_back(varintField(2, type.type));
    std::string raw(bytes, '\0');
    for (size_t i = 0; i < bytes; i += type.bytes)
      if (type.type == 7) {
        int64_t value = number();
        std::memcpy(&raw[i], &value, sizeof(value));
      } else {
        raw[i + type.bytes - 1] = static_cast<char>(below(70));
      }
    tensor.push_back(bytesField(9, std::move(raw)));
  }

  std::vector<Message> messages;
  std::vector<std::string> names; ///< of values that exist
  const Pool &pool;
  std::minstd_rand &random;
};

} // namespace

size_t lh::fuzz::mutate(Kind kind, uint8_t *data, size_t size, size_t maxSize,
                        unsigned seed) {
  static Pool pool;
  std::minstd_rand random(seed);
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  std::optional<std::vector<Field>> tree = parseTree(kind, bytes);
  if (!tree || random() % 16 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  pool.learn(kind, *tree, random);
  for (size_t count = 1 + random() % 3; count > 0; --count)
    Mutation(kind, *tree, pool, random).apply();
  std::string changed = serialize(*tree);
  if (changed.size() > maxSize)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
