// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run record`: makes or refreshes the expected outputs of a golden case.
#include "cli/Command.h"

#include "cli/Recording.h"
#include "cli/SharedOptions.h"
#include "core/support/FileNames.h"
#include "core/support/FileSystem.h"
#include "core/support/FolderUpdate.h"
#include "core/support/Hash.h"
#include "core/support/Version.h"

#include "llvm/Support/Format.h"

using namespace lh;

constexpr StringRef ownProducer = "lh-run record";

static void addRecordFlags(CLI::App &command, RecordOptions &options) {
  addGraphFlags(command, options.graph);
  addValue(command, "--against", "NAME", options.against,
           "measure the errors of old and new outputs against this pipeline, "
           "or against the oracle (default: oracle)");
  addValue(command, "--dtype", "TYPE", options.dtype,
           "of a golden, record only the outputs of this element type, into "
           "the override folder of that name; with --target, into TARGET/TYPE");
  addValue(command, "--out", "DIR", options.outDir,
           "the folder to make of a generated case");
  command.add_flag("--accept-regression", options.acceptRegression,
                   "record outputs that are worse than the old ones too");
  command.add_flag("--replace-producer", options.replaceProducer,
                   "record over outputs that another program made, as their "
                   "provenance.json says");
}

static void printErrors(const CompareResult &result, llvm::raw_ostream &out) {
  using llvm::format;
  if (!result.mismatch.empty()) {
    out << result.mismatch << '\n';
    return;
  }
  out << format("max abs %.3g, mean abs %.3g, rms %.3g, relative L2 %.3g, ",
                result.maxAbs, result.meanAbs, result.rmsAbs, result.relativeL2)
      << "max " << result.maxUlp << " ulp, NaN " << result.nanActual
      << " against " << result.nanExpected << '\n';
}

static void printRecorded(const RecordedOutput &output,
                          const RecordErrors &errors, llvm::raw_ostream &out) {
  out << "output '" << output.name << "', ";
  for (int64_t dim : output.fresh.shape())
    out << dim << 'x';
  out << dtypeName(output.fresh.dtype()) << "\n  new error  ";
  printErrors(errors.fresh, out);
  if (!errors.old)
    return;
  out << "  old error  ";
  printErrors(*errors.old, out);
  if (!errors.change->mismatch.empty()) {
    out << "  change     " << errors.change->mismatch << '\n';
    return;
  }
  out << "  change     " << errors.change->mismatches << " of "
      << errors.change->elements
      << llvm::format(" elements, max abs %.3g, max ", errors.change->maxAbs)
      << errors.change->maxUlp << " ulp\n";
}

bool Recording::isAcceptable() {
  bool acceptable = true;
  env.out << options.graph.cases[0] << ": values of '" << source
          << "', errors against '" << options.against << "'\n";
  for (const RecordedOutput &output : outputs) {
    RecordErrors errors = measureRecord(output);
    printRecorded(output, errors, env.out);
    std::string reason = whyWorse(errors, output.fresh.dtype());
    if (reason.empty() || options.acceptRegression)
      continue;
    acceptable = false;
    (void)sink.error(DiagKind::DriverGoldenRegression, where,
                     "output '" + output.name + "' would get worse: " + reason +
                         "; nothing is written without --accept-regression");
  }
  return acceptable;
}

/// The generated inputs, as the run step has kept them.
LogicalResult Recording::addInputs(FolderChanges &changes) {
  std::vector<std::string> names, contents;
  for (const OutputFile &input : record.outcomes[result.leaf].inputs) {
    auto buffer = env.files.getBufferForFile(input.path);
    if (!buffer)
      return refuse("cannot read '" + input.path +
                    "': " + buffer.getError().message());
    names.push_back(input.name);
    contents.push_back((*buffer)->getBuffer().str());
  }
  std::vector<std::string> fileNames = inputFileNames(names);
  for (size_t i = 0; i < names.size(); ++i)
    changes["inputs/" + fileNames[i]] = std::move(contents[i]);
  return success();
}

LogicalResult Recording::addModel(FolderChanges &changes) {
  auto buffer = env.files.getBufferForFile(model);
  if (!buffer)
    return refuse("cannot read '" + model +
                  "': " + buffer.getError().message());
  provenance.modelHash = sha256Hex((*buffer)->getBuffer());
  if (generated)
    changes[StringRef(model).ends_with(".onnx") ? "model.onnx"
                                                : "payload.mlir"] =
        (*buffer)->getBuffer().str();
  return success();
}

/// A sidecar of the folder; nothing where there is none that can be read.
std::optional<Provenance> Recording::sidecarAt(StringRef path) const {
  CollectingSink ignored;
  auto buffer = env.files.getBufferForFile(folder + "/" + path);
  if (!buffer)
    return std::nullopt;
  FailureOr<Provenance> read =
      readProvenance((*buffer)->getBuffer(), path, ignored);
  return succeeded(read) ? std::optional(std::move(*read)) : std::nullopt;
}

LogicalResult Recording::checkProducer() {
  std::optional<Provenance> old = sidecarAt(place.sidecar());
  if (!old || old->producer == ownProducer || options.replaceProducer)
    return success();
  return sink.error(
      DiagKind::DriverGoldenProducer, where,
      "'" + displayPath(folder, workingDirectory()) + "/" + place.sidecar() +
          "' says that '" + old->producer +
          "' made these outputs, and lh-run's own can't tell a mistake that "
          "the importer makes in both; --replace-producer records over them");
}

/// What a sidecar says of the model and in words stays true of new outputs.
void Recording::startProvenance() {
  for (const std::string &path :
       {place.sidecar(), std::string("provenance.json")})
    if (std::optional<Provenance> old = sidecarAt(path)) {
      provenance = std::move(*old);
      break;
    }
  provenance.producer = ownProducer.str();
  provenance.versions = versions();
  provenance.source =
      source == "oracle" ? source : source + " on " + result.key.target;
  provenance.target = place.target.empty() ? "any" : place.target;
  provenance.files.clear();
  if (generated)
    provenance.seed = static_cast<int64_t>(generated->seed);
  describeOutputs(outputs, provenance);
}

LogicalResult Recording::describe(FolderChanges &changes) {
  startProvenance();
  if (failed(addModel(changes)))
    return failure();
  size_t prefix = place.prefix().size();
  for (const auto &[file, contents] : changes)
    if (contents && StringRef(file).ends_with(".npy"))
      provenance.files[file.substr(prefix)] = sha256Hex(*contents);
  if (!generated && !place.isOverride()) {
    auto kept = data->inputs;
    if (!data->labels.empty())
      kept.emplace_back("", data->labels);
    for (const auto &[name, path] : kept) {
      auto buffer = env.files.getBufferForFile(path);
      if (!buffer)
        return refuse("cannot read '" + path +
                      "': " + buffer.getError().message());
      provenance.files[path.substr(folder.size() + 1)] =
          sha256Hex((*buffer)->getBuffer());
    }
  }
  changes[place.sidecar()] = provenanceText(provenance);
  return success();
}

/// Takes out what the folder holds already; whether nothing is left.
bool Recording::dropUnchanged(FolderChanges &changes) const {
  for (auto change = changes.begin(); change != changes.end();) {
    auto buffer = env.files.getBufferForFile(folder + "/" + change->first);
    bool same = buffer && change->second &&
                (*buffer)->getBuffer() == StringRef(*change->second);
    change = same ? changes.erase(change) : std::next(change);
  }
  return changes.empty();
}

LogicalResult Recording::write() {
  FolderChanges changes =
      outputChanges(outputs, place, presentOutputs(env.files, folder, place));
  if (generated && failed(addInputs(changes)))
    return failure();
  if (failed(describe(changes)))
    return failure();
  std::string shown = displayPath(folder, workingDirectory());
  if (dropUnchanged(changes)) {
    env.out << shown << ": nothing changed\n";
    return success();
  }
  if (failed(updateFolder(folder, changes, where, sink)))
    return failure();
  for (const auto &[file, contents] : changes)
    env.out << (contents ? "wrote " : "removed ") << shown << '/' << file
            << '\n';
  return success();
}

static int runRecord(const RecordOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  Engine::Options engineOptions;
  engineOptions.runner.keepsInputs = true;
  FailureOr<RunSetup> setup =
      setUpRun(options.graph, engineOptions, sources, env, sink);
  if (failed(setup))
    return badUsage;
  Recording recording(options, *setup, env, sink);
  if (failed(recording.findCase()) || failed(recording.findSource()) ||
      failed(recording.makePlan()) || failed(recording.checkProducer()))
    return badUsage;
  if (failed(recording.runPlan()) || failed(recording.collectOutputs()) ||
      !recording.isAcceptable())
    return 1;
  return succeeded(recording.write()) ? 0 : 1;
}

CommandRun lh::makeRecordCommand(CLI::App &command) {
  return makeCommand(command, addRecordFlags, runRecord);
}
