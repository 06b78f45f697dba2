// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of keys: it drives checking, reading and writing, the JSON
// Schemas and the reference page.
#ifndef LH_CORE_MANIFEST_KEYTABLE_H
#define LH_CORE_MANIFEST_KEYTABLE_H

#include "core/manifest/YamlReader.h"

#include <limits>

namespace lh {

struct MappingSpec;

/// What a value may look like.
struct ValueSpec {
  enum class Form {
    Version,    ///< the number 1
    Boolean,    ///< true or false
    Integer,    ///< from `minimum` to `maximum`
    Number,     ///< from `minimum` to `maximum`
    Text,       ///< a string without references
    Word,       ///< one of `words`
    Scalar,     ///< a boolean, number or string, without references
    Expression, ///< a scalar that may hold `${...}`
    List,       ///< of `element`
    MapOf,      ///< names of the user's choice (or `words`) to `element`
    Mapping,    ///< the keys of `mapping`
  };

  Form form = Form::Text;
  ArrayRef<StringRef> words = {};
  const ValueSpec *element = nullptr;
  const MappingSpec *mapping = nullptr;
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  /// Lists and maps need an entry.
  bool nonEmpty = false;
  /// Another form that is accepted too.
  const ValueSpec *alternative = nullptr;

  /// The keys, where one of the forms is a mapping.
  const MappingSpec *keys() const;
};

/// A value that is read.
struct Reading {
  YamlNode &node;
  const SourceSpan &key; ///< where the key stands
  const ValueSpec &spec;
  DiagnosticSink &sink;
};

/// The member into which a key's value goes, of an `owner` whose type is the
/// mapping's: nothing but the test that writes every key sees a row with
/// another type's member. Fields.h makes them.
struct Field {
  void (*read)(void *owner, const Reading &from) = nullptr;
  /// A node of kind Null says no more than the key's absence; `always` asks for
  /// defaults, too.
  YamlNode (*write)(const void *owner, const ValueSpec &spec,
                    bool always) = nullptr;
};

struct KeyRules {
  bool required = false;
  /// The key is allowed only beside this one.
  StringRef needs = "";
};
constexpr KeyRules optional{};
constexpr KeyRules required{true};
constexpr KeyRules needs(StringRef key) { return {false, key}; }

struct KeySpec {
  StringRef name;
  const ValueSpec &value;
  Field field;
  StringRef doc;
  /// A value as it is written in a file.
  StringRef example;
  KeyRules rules = {};
  /// What the reference page says besides.
  StringRef more = "";
};

/// One of the keys of which a mapping has exactly one.
struct ChoiceSpec {
  StringRef key;
  /// Beside this key it is an ordinary key and no choice.
  StringRef unless = "";
};

constexpr ArrayRef<ChoiceSpec> noChoice;

struct MappingSpec {
  /// What the mapping is, for messages: "bubble".
  StringRef title;
  ArrayRef<KeySpec> keys;
  ArrayRef<ChoiceSpec> exactlyOneOf = noChoice;
  /// What the reference page says of the whole.
  StringRef about = "";
};

const MappingSpec &manifestMapping();
const MappingSpec &bubbleFileMapping();
const MappingSpec &targetMapping();
const MappingSpec &kernelMapping();
const MappingSpec &toolMapping();
/// Of the files in `tuned/`.
const MappingSpec &tunedMapping();
/// Of the files in `targets/defaults/`.
const MappingSpec &defaultFactsMapping();

/// Reports everything in `root` that doesn't have the form of `mapping`:
/// unknown, missing and misplaced keys, wrong types, words and names. Marks
/// what has errors, and where a key is unknown.
void checkDocument(YamlNode &root, const MappingSpec &mapping,
                   DiagnosticSink &sink);

/// Reads a document, YAML or JSON, that has the form of `mapping`; every error
/// in it is reported.
FailureOr<YamlNode> readDocument(StringRef text, StringRef file,
                                 const MappingSpec &mapping,
                                 DiagnosticSink &sink);

/// Whether `name` can name a bubble, pipeline, parameter, case or fact:
/// letters, digits, '_', '-' and '.', the first a letter, digit or '_'.
bool isValidName(StringRef name);
/// The same as a regular expression, for the schemas.
constexpr StringRef namePattern = "^[A-Za-z0-9_][A-Za-z0-9_.-]*$";

} // namespace lh

#endif // LH_CORE_MANIFEST_KEYTABLE_H
