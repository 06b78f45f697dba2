// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of a module's form: each fact is yes, no or unknown.
#ifndef LH_CORE_GRAPH_FORMFACTS_H
#define LH_CORE_GRAPH_FORMFACTS_H

#include "core/graph/ModuleForm.h"
#include "core/manifest/Manifest.h"

namespace lh {

enum class Known { No, Unknown, Yes };

/// Who says that something is so.
struct FactSource {
  std::string by; ///< "'tile' ensures"; empty: seen in the IR
  SourceSpan where;
  std::string names;        ///< of the model's nodes there
  bool withKernels = false; ///< it is about nested gpu.modules, too
};

/// Which of many things are there.
struct PresenceFacts {
  struct Fact {
    Known present = Known::Unknown;
    FactSource source;
  };
  std::map<std::string, Fact> named;
  /// Whoever says that nothing is there but what is `named`.
  std::optional<FactSource> othersAbsent;

  Fact find(StringRef name) const;
  void set(StringRef name, bool present, const FactSource &source);
  /// Nothing is there but `names`, of which nothing new is said.
  void setOnly(ArrayRef<std::string> names, const FactSource &source);
  /// What is left when things may go, and none may come.
  PresenceFacts withoutPresences() const;
};

/// A value that may be known.
template <typename T> struct KnownValue {
  T value;
  FactSource source;
};

/// What is known of a form. By default: nothing.
struct FormFacts {
  PresenceFacts dialects, ops, types, boundary;
  std::optional<KnownValue<bool>> staticShapes;
  std::optional<KnownValue<int64_t>> vectorsAtLeast, vectorsAtMost;
  std::optional<KnownValue<bool>> allocaInLoop;

  /// All that there is to know of a module; with what nested gpu.modules hold,
  /// or without.
  static FormFacts of(const ModuleForm &form, bool withKernels);
  /// Adds what a contract says.
  void add(const FormDecl &form, StringRef by);
  /// The facts after a bubble that keeps `preserved` (words of `preserves:`)
  /// and about which nothing else is known.
  FormFacts kept(ArrayRef<std::string> preserved) const;
};

/// One clause of a contract, and whether the facts meet it.
struct ClauseState {
  std::string wanted; ///< "no type 'tensor'"
  Known met = Known::Unknown;
  std::string seen;  ///< what speaks against it, "some type 'tensor'"
  FactSource source; ///< who says so
};

/// Every clause of `form`, judged by `facts`. A clause about gpu dialects is
/// about nested gpu.modules, too.
std::vector<ClauseState> judge(const FormFacts &facts, const FormDecl &form);

/// Whether a contract is about what nested gpu.modules hold, too: it names a
/// dialect or an op for GPUs.
bool namesKernels(const FormDecl &form);

/// What of `preserved` doesn't hold: what is in `after`, and wasn't in
/// `before`. `wanted` is what should have held.
std::vector<ClauseState> brokenPromises(const ModuleForm &before,
                                        const ModuleForm &after,
                                        ArrayRef<std::string> preserved);

} // namespace lh

#endif // LH_CORE_GRAPH_FORMFACTS_H
