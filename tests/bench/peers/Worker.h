// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a library that is measured offers to the program that measures it.
#ifndef LH_TESTS_BENCH_PEERS_WORKER_H
#define LH_TESTS_BENCH_PEERS_WORKER_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

/// Something that can't be measured here: a library's refusal, a file that
/// isn't as it should be. The worker prints it and ends.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct FreeBytes {
  void operator()(void *bytes) const;
};
using Bytes = std::unique_ptr<char, FreeBytes>;

/// Zeroed memory aligned to 64 bytes; every library gets its tensors there.
Bytes allocate(size_t size);

/// A tensor of the work: "a:f32:512x512" and its bytes.
struct Operand {
  std::string name;
  std::string type; ///< f32, f16, bf16, i8, u8, i32 or i64
  std::vector<int64_t> shape;
  std::shared_ptr<char> bytes;

  int64_t count() const;
  size_t size() const;
  template <typename T> T *as() const {
    return reinterpret_cast<T *>(bytes.get());
  }
};

/// An Operand with memory of its own, all bytes 0xFF: a NaN in every float.
Operand unwritten(const Operand &like);

/// What is to be computed; the words of the worker's command line.
struct Work {
  std::string kind; ///< matmul, mlp, softmax, model, ...
  int threads = 1;
  std::vector<Operand> inputs;
  std::vector<Operand> outputs; ///< without bytes
  std::map<std::string, std::string> options;

  /// An option that must be there.
  const std::string &option(const std::string &name) const;
  const Operand &input(size_t i) const { return inputs.at(i); }
};

/// One way to do the work.
struct Candidate {
  std::string name;
  std::function<void()> run;
  std::vector<Operand> outputs; ///< that run() writes
  /// As many calls of it; absent: run() again and again.
  std::function<void(long)> often = {};
  /// Throws when a call now gives other `outputs`; for who writes them once.
  std::function<void()> check = {};
};

/// Each program links one definition. Throws Unusable. What the library can't
/// do at all is no candidate: an empty list says "not for this work".
std::vector<Candidate> makeCandidates(const Work &work);

} // namespace peers

#endif // LH_TESTS_BENCH_PEERS_WORKER_H
