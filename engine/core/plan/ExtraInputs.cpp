// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--input x=...`: a user's own inputs in place of the cases'.
#include "core/plan/ExtraInputs.h"

#include "core/numerics/Generate.h"
#include "core/support/FileSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace lh;

namespace {

struct ExtraInput {
  std::string name;
  std::string path; ///< empty: generated
  GeneratedInput generated;
};

} // namespace

static LogicalResult bad(const Twine &text, const Twine &why,
                         DiagnosticSink &sink) {
  return sink.error(DiagKind::PlanBadInput, SourceSpan(),
                    "--input '" + text + "' " + why);
}

/// `1x8x8xf32` or `f32` (a scalar) into shape and type.
static bool parseType(StringRef text, GeneratedInput &input) {
  while (text.contains('x')) {
    auto [dimension, rest] = text.split('x');
    int64_t size = 0;
    if (dimension.getAsInteger(10, size) || size < 0)
      return false;
    input.shape.push_back(size);
    text = rest;
  }
  std::optional<DType> dtype = parseDType(text);
  if (dtype)
    input.dtype = dtypeName(*dtype).str();
  return dtype.has_value();
}

static FailureOr<ExtraInput>
parseInput(StringRef text, llvm::vfs::FileSystem &files, DiagnosticSink &sink) {
  auto [name, value] = text.split('=');
  ExtraInput input;
  input.name = name.str();
  if (name.empty() || value.empty())
    return bad(text, "is neither NAME=@FILE nor NAME=SHAPExTYPE=DISTRIBUTION",
               sink);
  if (value.consume_front("@")) {
    llvm::SmallString<256> path(value);
    if (files.makeAbsolute(path) || !isFile(files, path))
      return bad(text, "names no file", sink);
    input.path = std::string(path);
    return input;
  }
  auto [type, distribution] = value.split('=');
  input.generated.name.value = input.name;
  if (!parseType(type, input.generated))
    return bad(text, "has no type such as 1x8x8xf32 after '='", sink);
  if (!distribution.empty())
    input.generated.dist = distribution.str();
  if (!parseDistribution(input.generated.dist))
    return bad(text,
               "draws from '" + distribution + "', which is none of " +
                   llvm::join(distributionWords(), ", "),
               sink);
  return input;
}

/// The entry of `inputs` that `name` means: by name, or by position in a data
/// set whose files have no names.
static std::pair<std::string, std::string> *findInput(DataSet &data,
                                                      StringRef name) {
  for (auto &input : data.inputs)
    if (input.first == name)
      return &input;
  size_t position = 0;
  bool nameless = llvm::all_of(
      data.inputs, [](const auto &input) { return input.first.empty(); });
  if (nameless && !name.getAsInteger(10, position) &&
      position < data.inputs.size())
    return &data.inputs[position];
  return nullptr;
}

static LogicalResult replaceInput(const ExtraInput &extra, DataSet &data,
                                  DiagnosticSink &sink) {
  std::pair<std::string, std::string> *present = findInput(data, extra.name);
  bool positional = !data.inputs.empty() && data.inputs.front().first.empty();
  if (positional && !(present && !extra.path.empty()))
    return bad(extra.name,
               "does not fit: this case's inputs are files without names; "
               "give POSITION=@FILE with a position from 0",
               sink);
  if (data.generate)
    llvm::erase_if(data.generate->inputs, [&](const GeneratedInput &input) {
      return input.name.value == extra.name;
    });
  if (!extra.path.empty()) {
    if (present)
      present->second = extra.path;
    else
      data.inputs.emplace_back(extra.name, extra.path);
    return success();
  }
  llvm::erase_if(data.inputs,
                 [&](const auto &input) { return input.first == extra.name; });
  if (!data.generate)
    data.generate = GenerateCase();
  data.generate->inputs.push_back(extra.generated);
  return success();
}

/// What the user feeds is neither exact nor special, and fed once.
static void keepDrawn(ExpandedCase &expanded) {
  std::vector<DataSet> &sets = expanded.dataSets;
  DataSet first = sets.front();
  llvm::erase_if(sets, [](const DataSet &data) {
    return data.set != InputSet::Drawn || data.draw > 0;
  });
  if (!sets.empty())
    return;
  first.name.clear();
  first.set = InputSet::Drawn;
  sets.push_back(std::move(first));
}

LogicalResult lh::replaceInputs(ArrayRef<std::string> inputs,
                                llvm::vfs::FileSystem &files,
                                std::vector<ExpandedCase> &cases,
                                DiagnosticSink &sink) {
  LogicalResult result = success();
  for (const std::string &text : inputs) {
    FailureOr<ExtraInput> extra = parseInput(text, files, sink);
    if (failed(extra)) {
      result = failure();
      continue;
    }
    for (ExpandedCase &expanded : cases) {
      keepDrawn(expanded);
      for (DataSet &data : expanded.dataSets) {
        data.expected.clear();
        data.labels.clear();
        if (failed(replaceInput(*extra, data, sink)))
          return failure();
      }
    }
  }
  return result;
}
