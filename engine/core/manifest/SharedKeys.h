// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tables of keys of several files share.
#ifndef LH_CORE_MANIFEST_SHAREDKEYS_H
#define LH_CORE_MANIFEST_SHAREDKEYS_H

#include "core/manifest/Fields.h"
#include "core/manifest/KeyTable.h"
#include "core/manifest/Words.h"
#include "core/numerics/Tensor.h"

namespace lh::keys {

using Form = ValueSpec::Form;

constexpr ValueSpec oneOf(ArrayRef<StringRef> words) {
  return {.form = Form::Word, .words = words};
}
constexpr ValueSpec listOf(const ValueSpec &element) {
  return {.form = Form::List, .element = &element};
}
constexpr ValueSpec someOf(const ValueSpec &element) {
  return {.form = Form::List, .element = &element, .nonEmpty = true};
}
constexpr ValueSpec mapOf(const ValueSpec &element) {
  return {.form = Form::MapOf, .element = &element};
}
constexpr ValueSpec keysOf(const MappingSpec &mapping) {
  return {.form = Form::Mapping, .mapping = &mapping};
}

// Values without a table of their own.
constexpr ValueSpec version{.form = Form::Version};
constexpr ValueSpec text{.form = Form::Text};
constexpr ValueSpec number{.form = Form::Number};
constexpr ValueSpec integer{.form = Form::Integer};
constexpr ValueSpec count{.form = Form::Integer, .minimum = 0};
constexpr ValueSpec bound{.form = Form::Number, .minimum = 0};
constexpr ValueSpec scalar{.form = Form::Scalar};
constexpr ValueSpec expression{.form = Form::Expression};
constexpr ValueSpec texts = listOf(text);
constexpr ValueSpec someTexts = someOf(text);
constexpr ValueSpec someExpressions = someOf(expression);
constexpr ValueSpec integers = listOf(integer);
constexpr ValueSpec sizes = listOf(count);
constexpr ValueSpec scalars = someOf(scalar);
constexpr ValueSpec scalarOrIntegers{.form = Form::Scalar,
                                     .alternative = &integers};
constexpr ValueSpec expressionOrIntegers{.form = Form::Expression,
                                         .alternative = &integers};
constexpr ValueSpec bindings = mapOf(expressionOrIntegers);

constexpr ValueSpec dtype = oneOf(dtypeNames);

constexpr StringRef versionDoc = "The version of this format.";
constexpr StringRef edgesDoc = "Which bubble hands its module to which.";
constexpr StringRef edgesExample = "[import -> lower -> run]";
// Tolerances.
constexpr StringRef atolDoc = "The absolute error allowed.";
constexpr StringRef rtolDoc = "The error allowed relative to the reference.";
constexpr StringRef ulpDoc = "The units in the last place allowed.";
constexpr StringRef dtypesDoc = "Bounds for single element types.";
constexpr StringRef dtypesExample = "{float16: {rtol: 1e-2}}";

// What bubbles, bubble files and tools have.
extern const ValueSpec numerics;
// What manifests and bubble files have.
extern const ValueSpec parameters, bubbles;
// What manifests and targets have.
extern const ValueSpec perDtype, expectOfCase;

} // namespace lh::keys

#endif // LH_CORE_MANIFEST_SHAREDKEYS_H
