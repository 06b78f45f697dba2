// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An optional for what is seldom there, or large: it takes a pointer's room.
#ifndef LH_CORE_SUPPORT_RARE_H
#define LH_CORE_SUPPORT_RARE_H

#include <memory>
#include <optional>

namespace lh {

/// Holds a value or none, as std::optional does; the value lies elsewhere, so
/// that tens of thousands of holders without one are small. Copies are deep.
template <typename T> class Rare {
public:
  Rare() = default;
  Rare(std::nullopt_t) {}
  Rare(T held) : value(std::make_unique<T>(std::move(held))) {}
  Rare(std::optional<T> held) {
    if (held)
      value = std::make_unique<T>(std::move(*held));
  }
  Rare(const Rare &other)
      : value(other.value ? std::make_unique<T>(*other.value) : nullptr) {}
  Rare(Rare &&) noexcept = default;
  Rare &operator=(Rare other) noexcept {
    value = std::move(other.value);
    return *this;
  }
  ~Rare() = default;

  explicit operator bool() const { return value != nullptr; }
  const T &operator*() const { return *value; }
  T &operator*() { return *value; }
  const T *operator->() const { return value.get(); }
  T *operator->() { return value.get(); }
  void reset() { value.reset(); }
  T &emplace() { return *(value = std::make_unique<T>()); }

private:
  std::unique_ptr<T> value;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_RARE_H
