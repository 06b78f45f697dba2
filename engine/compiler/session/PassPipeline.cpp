// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pass strings against the registry: names, options, anchors.
#include "compiler/session/PassPipeline.h"

#include "compiler/gaps/Gaps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/CommandLine.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace lh;

static constexpr StringRef moduleName = "builtin.module";

ArrayRef<StringRef> lh::registeredPassNames() {
  // The registry can be looked up but not listed; the command-line parser that
  // mlir-opt uses lists it, as values of one nameless option.
  static const std::vector<StringRef> names = [] {
    static const mlir::PassPipelineCLParser parser("", "Passes");
    auto &options = llvm::cl::getRegisteredOptions();
    const llvm::cl::Option *passes = options.lookup("canonicalize");
    std::vector<StringRef> found;
    for (const auto &entry : options)
      if (entry.second == passes)
        found.push_back(entry.first);
    llvm::sort(found);
    return found;
  }();
  return names;
}

/// The pass or registered pipeline called `name`; null when there is none.
static const mlir::PassRegistryEntry *lookupEntry(StringRef name) {
  if (const auto *pass = mlir::PassInfo::lookup(name))
    return pass;
  return mlir::PassPipelineInfo::lookup(name);
}

/// Pass::canScheduleOn is the question that we have, but it is protected.
namespace {
struct PassAccess : mlir::Pass {
  static bool canRunOn(const mlir::Pass &pass,
                       mlir::RegisteredOperationName name) {
    bool (mlir::Pass::*ask)(mlir::RegisteredOperationName) const =
        &PassAccess::canScheduleOn;
    return (pass.*ask)(name);
  }
};
} // namespace

namespace {
/// Standard error while it lives. Options of passes are llvm::cl options, and
/// those tell nobody else what is wrong with a value.
class ErrorOutputCapture {
public:
  ErrorOutputCapture()
      : saved(dup(STDERR_FILENO)), file(memfd_create("errors", MFD_CLOEXEC)) {
    if (saved >= 0 && file >= 0)
      (void)dup2(file, STDERR_FILENO);
  }
  ~ErrorOutputCapture() { (void)take(); }
  ErrorOutputCapture(const ErrorOutputCapture &) = delete;
  ErrorOutputCapture &operator=(const ErrorOutputCapture &) = delete;

  /// Ends the capture; what was written.
  std::string take() {
    std::string text;
    if (saved >= 0 && file >= 0) {
      (void)dup2(saved, STDERR_FILENO);
      text.resize(
          static_cast<size_t>(std::max<off_t>(0, lseek(file, 0, SEEK_END))));
      ssize_t size = pread(file, text.data(), text.size(), 0);
      text.resize(static_cast<size_t>(std::max<ssize_t>(0, size)));
    }
    for (int *descriptor : {&saved, &file}) {
      if (*descriptor >= 0)
        (void)close(*descriptor);
      *descriptor = -1;
    }
    return text;
  }

private:
  int saved, file;
};
} // namespace

/// Loads the operation's dialect: `check` starts with none.
static std::optional<mlir::RegisteredOperationName>
lookupOperation(StringRef name, mlir::MLIRContext &context) {
  context.getOrLoadDialect(name.split('.').first);
  return mlir::RegisteredOperationName::lookup(name, &context);
}

/// The options of a pass, as far as its printed defaults name them.
static std::vector<std::string> optionNames(mlir::OpPassManager &manager) {
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  for (mlir::Pass &pass : manager.getPasses())
    pass.printAsTextualPipeline(stream);
  std::vector<std::string> names;
  StringRef rest = StringRef(printed).split('{').second;
  while (!rest.empty()) {
    auto [name, tail] = rest.split('=');
    names.push_back(name.ltrim(" {").str());
    // A value may be a list in braces; names follow a blank.
    rest = tail.split(' ').second;
  }
  return names;
}

namespace {
/// Checks one string; remembers what a bare list leaves out.
class PassChecker {
public:
  PassChecker(const PassStringPlace &place, mlir::MLIRContext &context,
              DiagnosticSink &sink)
      : place(place), context(context), sink(sink) {}

  LogicalResult check(std::vector<PassElement> &elements, StringRef anchor) {
    bool failedAny = false;
    for (PassElement &element : elements)
      failedAny |= failed(element.isAnchor ? checkAnchor(element, anchor)
                                           : checkPass(element, anchor));
    return failure(failedAny);
  }

private:
  LogicalResult checkAnchor(PassElement &element, StringRef parent) {
    StringRef name = element.name;
    if (name == "any")
      return check(element.nested, name);
    if (name == moduleName)
      return fail(element,
                  "passes inside '" + parent +
                      "' that are anchored on 'builtin.module' would run on "
                      "nested modules only; write 'builtin.module(...)' round "
                      "the whole string or leave it out");
    auto operation = lookupOperation(name, context);
    if (!operation)
      return fail(element, "'" + name +
                               "' is no operation; passes are anchored on an "
                               "operation such as 'func.func'");
    if (!operation->hasTrait<mlir::OpTrait::IsIsolatedFromAbove>())
      return fail(element,
                  "passes never run on '" + name +
                      "'; they run on operations that are isolated from "
                      "above, such as 'func.func'");
    return check(element.nested, name);
  }

  LogicalResult checkPass(PassElement &element, StringRef anchor) {
    const mlir::PassRegistryEntry *entry = lookupEntry(element.name);
    if (!entry)
      return reportUnknown(element);
    mlir::OpPassManager passes; // on any operation: nothing is refused here
    std::string message;
    if (failed(addTo(passes, element, *entry, message)))
      return reportOption(element, *entry, message);
    if (mlir::PassInfo::lookup(element.name))
      return placePass(element, *passes.begin(), anchor);
    return success(); // a registered pipeline nests its own
  }

  /// Tries the options; `message` says what is wrong with them.
  static LogicalResult addTo(mlir::OpPassManager &passes,
                             const PassElement &element,
                             const mlir::PassRegistryEntry &entry,
                             std::string &message) {
    auto report = [&](const Twine &text) {
      message = text.str();
      return mlir::failure();
    };
    if (element.options.empty())
      return entry.addToPipeline(passes, element.options, report);
    ErrorOutputCapture capture;
    LogicalResult result = entry.addToPipeline(passes, element.options, report);
    message = capture.take() + message;
    return result;
  }

  /// Decides where a pass runs, given the anchor that it is written in.
  LogicalResult placePass(PassElement &element, mlir::Pass &pass,
                          StringRef anchor) {
    if (anchor == "any" || canRun(pass, anchor))
      return success();
    std::optional<StringRef> wanted = pass.getOpName();
    if (anchor == moduleName) {
      StringRef implied = wanted.value_or("func.func");
      if (canRun(pass, implied)) {
        element.impliedAnchor = implied.str();
        return success();
      }
    }
    return fail(element, "the pass '" + element.name + "' can't run on '" +
                             anchor + "'" +
                             (wanted ? "; it runs on '" + *wanted + "'" : ""));
  }

  bool canRun(mlir::Pass &pass, StringRef operation) {
    auto name = lookupOperation(operation, context);
    return name && PassAccess::canRunOn(pass, *name);
  }

  LogicalResult reportUnknown(const PassElement &element) {
    if (lookupOperation(element.name, context))
      return fail(element, "'" + element.name + "' is an operation; write '" +
                               element.name +
                               "(...)' round the passes that run on it");
    return sink.error(DiagKind::IrUnknownPass, at(element),
                      "unknown pass '" + element.name + "'" +
                          didYouMean(element.name, registeredPassNames()));
  }

  LogicalResult reportOption(const PassElement &element,
                             const mlir::PassRegistryEntry &entry,
                             StringRef message) {
    StringRef option =
        message.rsplit("no such option ").second.split('\n').first.trim();
    if (option.empty())
      return sink.error(DiagKind::IrBadPassOption, optionsOf(element),
                        "bad options '" + element.options + "' of '" +
                            element.name + "': " + oneLine(message));
    mlir::OpPassManager fresh;
    (void)entry.addToPipeline(fresh, "",
                              [](const Twine &) { return mlir::failure(); });
    std::vector<std::string> known = optionNames(fresh);
    std::vector<StringRef> candidates(known.begin(), known.end());
    size_t offset = StringRef(element.options).find(option);
    SourceSpan where =
        offset == StringRef::npos
            ? optionsOf(element)
            : place.at(element.optionsOffset + offset, option.size());
    return sink.error(DiagKind::IrBadPassOption, where,
                      "the pass '" + element.name + "' has no option '" +
                          option + "'" + didYouMean(option, candidates));
  }

  /// ": for the --x option: 'a' value invalid!" without its frame.
  static std::string oneLine(StringRef message) {
    StringRef line = message.trim(" :\n").split('\n').first;
    line.consume_front("<Pass-Options-Parser>: ");
    line = line.rtrim("!\n");
    return line.empty() ? "the pass doesn't take them" : line.str();
  }

  SourceSpan at(const PassElement &element) const {
    return place.at(element.offset, element.name.size());
  }
  SourceSpan optionsOf(const PassElement &element) const {
    if (element.options.empty())
      return at(element);
    return place.at(element.optionsOffset, element.options.size());
  }
  LogicalResult fail(const PassElement &element, const Twine &message) {
    return sink.error(DiagKind::IrBadAnchor, at(element), message);
  }

  const PassStringPlace &place;
  mlir::MLIRContext &context;
  DiagnosticSink &sink;
};
} // namespace

FailureOr<PassPipeline> PassPipeline::parse(StringRef text,
                                            const SourceSpan &where,
                                            mlir::MLIRContext &context,
                                            DiagnosticSink &sink) {
  PassStringPlace place(text, where);
  auto elements = parsePassText(text, place, sink);
  if (failed(elements))
    return failure();
  if (elements->size() == 1 && elements->front().isAnchor &&
      (elements->front().name == moduleName || elements->front().name == "any"))
    elements = std::vector<PassElement>(elements->front().nested);
  if (failed(PassChecker(place, context, sink).check(*elements, moduleName)))
    return failure();
  return PassPipeline(std::move(*elements), std::move(place));
}

static void addElements(ArrayRef<PassElement> elements,
                        mlir::OpPassManager &manager) {
  for (const PassElement &element : elements) {
    if (element.isAnchor) {
      addElements(element.nested, element.name == "any"
                                      ? manager.nestAny()
                                      : manager.nest(element.name));
      continue;
    }
    mlir::OpPassManager &target = element.impliedAnchor.empty()
                                      ? manager
                                      : manager.nest(element.impliedAnchor);
    // parse() has tried the options already.
    (void)lookupEntry(element.name)
        ->addToPipeline(target, element.options,
                        [](const Twine &) { return mlir::failure(); });
  }
}

void PassPipeline::addTo(mlir::OpPassManager &manager) const {
  addElements(elements, manager);
}

std::string PassPipeline::text() const {
  return (moduleName + "(" + printPassText(elements) + ")").str();
}

static void
collectPasses(ArrayRef<PassElement> elements, const PassStringPlace &place,
              std::vector<std::pair<std::string, SourceSpan>> &passes) {
  for (const PassElement &element : elements) {
    if (element.isAnchor)
      collectPasses(element.nested, place, passes);
    else if (mlir::PassInfo::lookup(element.name))
      passes.emplace_back(element.name,
                          place.at(element.offset, element.name.size()));
  }
}

std::vector<std::pair<std::string, SourceSpan>> PassPipeline::passes() const {
  std::vector<std::pair<std::string, SourceSpan>> passes;
  collectPasses(elements, place, passes);
  return passes;
}

/// The pass strings of what a registered pipeline runs, each as it prints
/// itself; none when `name` is a pass.
static std::vector<std::string> expanded(const PassElement &element) {
  std::vector<std::string> texts;
  const auto *pipeline = mlir::PassPipelineInfo::lookup(element.name);
  if (!pipeline || mlir::PassInfo::lookup(element.name))
    return texts;
  mlir::OpPassManager manager(
      element.impliedAnchor.empty() ? moduleName : element.impliedAnchor);
  if (failed(
          pipeline->addToPipeline(manager, element.options, [](const Twine &) {
            return mlir::failure();
          })))
    return texts;
  for (mlir::Pass &pass : manager.getPasses()) {
    llvm::raw_string_ostream stream(texts.emplace_back());
    pass.printAsTextualPipeline(stream);
  }
  return texts;
}

namespace {
/// Takes a pass string apart.
class PartCollector {
public:
  explicit PartCollector(const PassStringPlace &place) : place(place) {}

  /// `around` are the anchors that the elements stand in, outermost first.
  void collect(ArrayRef<PassElement> elements, std::vector<std::string> around,
               const PassElement *writtenAs = nullptr) {
    for (const PassElement &element : elements) {
      const PassElement &written = writtenAs ? *writtenAs : element;
      if (element.isAnchor) {
        std::vector<std::string> inside = around;
        inside.push_back(element.name);
        collect(element.nested, inside, writtenAs);
        continue;
      }
      std::vector<std::string> texts = expanded(element);
      if (texts.empty())
        add(element, around, written);
      for (const std::string &text : texts) {
        CollectingSink ignored; // it was printed by MLIR itself
        auto inner = parsePassText(text, PassStringPlace(text, {}), ignored);
        if (succeeded(inner))
          collect(*inner, around, &written);
      }
    }
  }

  std::vector<PassPipeline::Part> parts;

private:
  void add(const PassElement &element, ArrayRef<std::string> around,
           const PassElement &written) {
    std::string text = printPassText(element);
    for (const std::string &anchor : llvm::reverse(around))
      text = anchor + "(" + text + ")";
    parts.push_back({element.name, std::move(text),
                     place.at(written.offset, written.name.size())});
  }

  const PassStringPlace &place;
};
} // namespace

std::vector<PassPipeline::Part> PassPipeline::parts() const {
  PartCollector collector(place);
  collector.collect(elements, {});
  return std::move(collector.parts);
}

std::vector<std::string> PassPipeline::gapPasses() const {
  std::vector<std::string> names;
  for (const auto &[name, where] : passes())
    if (isGapPass(name) && !llvm::is_contained(names, name))
      names.push_back(name);
  return names;
}
