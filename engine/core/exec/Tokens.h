// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many workers may run at a time.
#ifndef LH_CORE_EXEC_TOKENS_H
#define LH_CORE_EXEC_TOKENS_H

namespace lh {

/// A pipe that holds one byte for each worker that may run besides the first,
/// as in make's job server. Shared through fork(). Every subtree owns one
/// token from the start, so a lost one slows down but never stops the run.
class Tokens {
public:
  explicit Tokens(unsigned jobs);
  ~Tokens();
  Tokens(const Tokens &) = delete;
  Tokens &operator=(const Tokens &) = delete;

  /// Takes a token if one is there.
  bool tryTake();
  void giveBack();

  /// Readable while a token may be there; for poll().
  int descriptor() const { return readEnd; }

private:
  int readEnd = -1, writeEnd = -1;
};

} // namespace lh

#endif // LH_CORE_EXEC_TOKENS_H
