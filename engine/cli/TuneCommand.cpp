// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `lh-run tune`: searches a pipeline's choices, and writes down what wins.
#include "cli/Command.h"

#include "cli/RunContext.h"
#include "cli/SharedOptions.h"
#include "cli/TuneDispatch.h"
#include "cli/TuneSearch.h"
#include "cli/TunedFile.h"
#include "core/support/FileSystem.h"
#include "core/tune/Winner.h"
#include "insight/report/Summary.h"
#include "insight/report/TunePage.h"
#include "steps/ModelGroups.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <chrono>

using namespace lh;

namespace {
struct TuneOptions {
  TuneOptions() { search.log = "tune-trials.jsonl"; }

  ManifestRunOptions run;
  SearchOptions search;
  DispatchOptions dispatch;
  std::string batch;     ///< measured for another process that searches
  std::string batchJson; ///< where what came of it goes
  double leastGain = 1;  ///< percent
  std::string write;     ///< a tuned file
  std::string page;
  std::string check; ///< a tuned file whose entries are measured again
};
} // namespace

static void addDispatchFlags(CLI::App &command, TuneOptions &options) {
  FlagHeading heading(command, "Many machines");
  std::map<std::string, DispatchKind> kinds;
  for (auto [index, name] : llvm::enumerate(enumNames(DispatchKind())))
    kinds[name.str()] = static_cast<DispatchKind>(index);
  CLI::Option *dispatch =
      addValue(command, "--dispatch", "WHERE", options.dispatch.kind,
               "measure each round in batches of --batch choices, which run at "
               "once: 'local', in processes of this machine; 'slurm', as an "
               "array on nodes that have the target's labels")
          ->transform(CLI::CheckedTransformer(kinds));
  addValue(command, "--batches", "N", options.dispatch.batches,
           "batches of a round (default: 4)")
      ->needs(dispatch)
      ->check(CLI::Range(1, 1000));
  addValue(command, "--dispatch-folder", "DIR", options.dispatch.folder,
           "where batches and what came of them lie, seen by all machines "
           "(default: tune-rounds)")
      ->needs(dispatch);
  addValue(command, "--cores", "N", options.dispatch.cores,
           "of each batch, for 'slurm' (default: 1)")
      ->needs(dispatch)
      ->check(CLI::PositiveNumber);
  // What dispatched processes are given.
  addValue(command, "--try", "FILE", options.batch, "")->group("");
  addValue(command, "--json", "FILE", options.batchJson, "")->group("");
}

static void addTuneFlags(CLI::App &command, TuneOptions &options) {
  addGraphFlags(command, options.run.graph);
  addValue(command, "--trials", "N", options.search.trials,
           "try so many choices at most, of each product of a model (default: "
           "64)");
  addValue(command, "--seconds", "S", options.search.seconds,
           "begin no round after so many seconds (default: 300)");
  std::map<std::string, SearchKind> kinds;
  for (auto [index, name] : llvm::enumerate(enumNames(SearchKind())))
    kinds[name.str()] = static_cast<SearchKind>(index);
  addValue(command, "--search", "KIND", options.search.kind,
           "'tpe': what good choices have more often than others (default); "
           "'random'; 'all'")
      ->transform(CLI::CheckedTransformer(kinds));
  addValue(command, "--batch", "N", options.search.batch,
           "choices of a round, which take turns with the default (default: 8)")
      ->check(CLI::Range(1, 64));
  addValue(command, "--search-seed", "N", options.search.seed,
           "another order of what is tried (default: 1)");
  addValue(command, "--least-gain", "PERCENT", options.leastGain,
           "what a choice has to gain surely to take the default's place "
           "(default: 1)")
      ->check(CLI::NonNegativeNumber);
  addValue(command, "--log", "FILE", options.search.log,
           "add each trial to this file, and go on from what it knows "
           "(default: tune-trials.jsonl; '' for none)");
  addValue(command, "--write", "FILE", options.write,
           "put what wins into this file, for 'tuned:' and --tuned");
  addValue(command, "--page", "FILE", options.page,
           "write a page that draws the search");
  addValue(command, "--check", "FILE", options.check,
           "search nothing: measure the entries of this file that fit the "
           "pipeline against the default again");
  addDispatchFlags(command, options);
  addExecutionFlags(command, options.run);
}

namespace {
/// One call of the command.
class Tune {
public:
  Tune(const TuneOptions &options, DriverEnv &env)
      : options(options), search(options.search), env(env), sources(env.files),
        sink(env.err, sources, sinkOptions(env)),
        whole(options.run, "", env, sources, sink) {
    search.leastGain = options.leastGain / 100;
    if (!options.dispatch.kind)
      return;
    search.batches = options.dispatch.batches;
    dispatch.emplace(options.dispatch, env.words, env, sink);
  }

  int run();

private:
  using Entries = std::vector<TunedEntry>;

  FailureOr<Entries> searched();
  FailureOr<Entries> searchedByGroups(ArrayRef<size_t> products);
  FailureOr<Entries> searchedApart(size_t product, ModelGroups &groups);
  FailureOr<std::optional<Entries>> searchedGroup(size_t product,
                                                  const std::string &file);
  FailureOr<Entries> searchedModel(ArrayRef<size_t> products);
  std::optional<std::pair<size_t, size_t>>
  placeOf(const TunedEntry &entry) const;
  FailureOr<bool> gainTogether(const Entries &entries);
  void tellGain(const TrialResult &result);
  bool entryHolds(const TunedEntry &entry);
  bool allHold();
  LogicalResult write(Entries entries);
  double secondsLeft() const;
  std::string moduleFile(size_t product, bool channelsLast) const;

  const TuneOptions &options;
  SearchOptions search;
  DriverEnv &env;
  SourceStore sources;
  StreamSink sink;
  TuneTrials whole; ///< the pipeline on its case
  std::optional<TuneDispatch> dispatch;
  ScratchFolder folder;            ///< of parts of the model
  std::set<std::string> done;      ///< products that a group had
  std::vector<TrialRecord> trials; ///< for the page
  std::chrono::steady_clock::time_point started =
      std::chrono::steady_clock::now();
};
} // namespace

double Tune::secondsLeft() const {
  std::chrono::duration<double> since =
      std::chrono::steady_clock::now() - started;
  return options.search.seconds - since.count();
}

static bool isProduct(const TuneSite &site) {
  return std::holds_alternative<ProductKey>(site.about);
}

/// What by itself gains less than this is left out where all together don't.
static constexpr double clearGain = 1.05;
/// Of a model whose weights come from memory, processes differ by 2 %.
static constexpr size_t sittingsOfWhole = 10;

/// How much there is to compute, as far as sizes are known.
static double weightOf(const TuneSite &site) {
  double weight = 1;
  for (int64_t size : std::get<ProductKey>(site.about).sizes)
    weight *= static_cast<double>(std::max<int64_t>(size, 1));
  return weight;
}

/// Searches one product in a module of its own, with what is computed along
/// with it. Nothing where the module has other products.
FailureOr<std::optional<Tune::Entries>>
Tune::searchedGroup(size_t product, const std::string &file) {
  const TuneSite &wanted = whole.sites()[product];
  TuneTrials group(options.run, file, env, sources, sink);
  if (group.begin())
    return std::optional<Entries>(); // why was said
  if (dispatch)
    group.dispatchTo(*dispatch);
  bool isThere = llvm::any_of(group.sites(), [&](const TuneSite &site) {
    return site.about == wanted.about;
  });
  if (!isThere)
    return std::optional<Entries>();
  auto isWanted = [&](const TuneSite &site) {
    return isProduct(site) && llvm::any_of(whole.sites(), [&](const auto &own) {
             return own.about == site.about;
           });
  };
  for (const TuneSite &site : group.sites())
    if (isWanted(site))
      done.insert(site.text);
  search.seconds = secondsLeft();
  TuneSearch one(search, group, env, sink, isWanted);
  FailureOr<std::optional<TunedEntry>> won = one.run();
  llvm::append_range(trials, one.records());
  if (failed(won))
    return failure();
  return std::optional(*won ? Entries{std::move(**won)} : Entries());
}

/// Where all who measure see it.
std::string Tune::moduleFile(size_t product, bool channelsLast) const {
  return (dispatch ? dispatch->folder() + "/modules" : folder.path()) + "/" +
         std::to_string(product) + (channelsLast ? "-last" : "") + ".mlirbc";
}

/// The same in either layout of images, as the model's are.
FailureOr<Tune::Entries> Tune::searchedApart(size_t product,
                                             ModelGroups &groups) {
  for (bool channelsLast : {false, true}) {
    std::string whyNot;
    std::string file = moduleFile(product, channelsLast);
    FailureOr<bool> written = groups.write(whole.sites()[product].nodes,
                                           channelsLast, file, whyNot, sink);
    if (failed(written))
      return failure();
    if (!*written) {
      env.out << "  can't stand alone: " << whyNot << '\n';
      return Entries();
    }
    FailureOr<std::optional<Entries>> won = searchedGroup(product, file);
    if (failed(won))
      return failure();
    if (*won)
      return std::move(**won);
  }
  env.out << "  by itself it is another product: it is left as it is\n";
  return Entries();
}

/// The products of a model one by one, the largest first.
FailureOr<Tune::Entries> Tune::searchedByGroups(ArrayRef<size_t> products) {
  std::vector<size_t> order(products.begin(), products.end());
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return weightOf(whole.sites()[a]) > weightOf(whole.sites()[b]);
  });
  FailureOr<ModelGroups> groups = ModelGroups::open(
      whole.importStep(), whole.entry(), whole.engine().session(), sink);
  if (failed(groups))
    return failure();
  Entries entries;
  for (size_t product : order) {
    const TuneSite &site = whole.sites()[product];
    if (done.count(site.text))
      continue;
    env.out << visibleLine(site.text) << '\n';
    if (secondsLeft() <= 0) {
      env.out << "  no time is left for it\n";
      continue;
    }
    FailureOr<Entries> won = searchedApart(product, *groups);
    if (failed(won))
      return failure();
    llvm::append_range(entries, *won);
  }
  return entries;
}

/// Where the entry's choice is made in the whole; nothing where it can't be.
std::optional<std::pair<size_t, size_t>>
Tune::placeOf(const TunedEntry &entry) const {
  for (const auto &[index, site] : llvm::enumerate(whole.sites()))
    if (site.about == entry.about)
      if (std::optional<size_t> point = indexOf(site.space, entry.use))
        return std::pair(index, *point);
  return std::nullopt;
}

/// A line of how fast a trial was, or why it has no time.
void Tune::tellGain(const TrialResult &result) {
  if (!result.ratio) {
    env.out << enumName(result.outcome) << ", " << visibleMessage(result.reason)
            << '\n';
    return;
  }
  TunedGain gain = gainIn(result.sittings, 1);
  env.out << llvm::format("%.3fx [%.3f, %.3f]\n", gain.median, gain.low,
                          gain.high);
}

/// Whether the choices of all entries, at once, are surely faster than the
/// default.
FailureOr<bool> Tune::gainTogether(const Entries &entries) {
  Assignment assignment;
  for (const TunedEntry &entry : entries)
    assignment.insert(*placeOf(entry));
  if (assignment.empty())
    return false;
  TrialResult result =
      whole.tryAll({assignment}, finalRound(sittingsOfWhole)).front();
  if (whole.wasInterrupted())
    return failure();
  env.out << "all together: ";
  tellGain(result);
  return result.ratio &&
         winnerOf({result.sittings}, search.leastGain).has_value();
}

/// What won part by part, as far as it is faster in the whole, too: there a
/// product costs what its neighbours leave in the caches. Where all of it
/// isn't, what is clearly faster by itself may be.
FailureOr<Tune::Entries> Tune::searchedModel(ArrayRef<size_t> products) {
  FailureOr<Entries> entries = searchedByGroups(products);
  if (failed(entries))
    return failure();
  llvm::erase_if(
      *entries, [&](const auto &entry) { return !placeOf(entry).has_value(); });
  FailureOr<bool> gain = gainTogether(*entries);
  size_t all = entries->size();
  if (succeeded(gain) && !*gain) {
    llvm::erase_if(*entries, [](const TunedEntry &entry) {
      return entry.gain->low < clearGain;
    });
    if (entries->size() < all)
      gain = gainTogether(*entries);
  }
  if (failed(gain))
    return failure();
  return *gain ? std::move(*entries) : Entries();
}

FailureOr<Tune::Entries> Tune::searched() {
  std::vector<size_t> products;
  for (const auto &[index, site] : llvm::enumerate(whole.sites()))
    if (isProduct(site))
      products.push_back(index);
  bool isModel = products.size() > 1;
  Entries entries;
  if (isModel) {
    FailureOr<Entries> found = searchedModel(products);
    if (failed(found))
      return failure();
    entries = std::move(*found);
  }
  search.seconds = secondsLeft();
  TuneSearch rest(search, whole, env, sink, [&](const TuneSite &site) {
    return !isModel || !isProduct(site);
  });
  FailureOr<std::optional<TunedEntry>> won = rest.run();
  llvm::append_range(trials, rest.records());
  if (failed(won))
    return failure();
  if (*won)
    entries.push_back(std::move(**won));
  return entries;
}

/// A choice of a file once more, alone.
bool Tune::entryHolds(const TunedEntry &entry) {
  Assignment assignment = {*placeOf(entry)};
  TrialResult result =
      whole.tryAll({assignment}, finalRound(sittingsOfWhole)).front();
  if (entry.gain)
    env.out << llvm::format("%.2fx in the file, now ", entry.gain->median);
  tellGain(result);
  return result.ratio &&
         winnerOf({result.sittings}, search.leastGain).has_value();
}

static bool isTrue(const FailureOr<bool> &answer) {
  return succeeded(answer) && *answer;
}

/// Whether a file's entries about this pipeline still gain: those about
/// products of a model together, as they were found, and each other one. What
/// is about other pipelines is left alone; where there is no entry, nothing
/// holds.
bool Tune::allHold() {
  FailureOr<TunedSpec> file = readTunedFile(options.check, sources, sink);
  if (failed(file))
    return false;
  bool holds = true;
  Entries products, others;
  for (TunedEntry &entry : file->entries) {
    auto about = llvm::find_if(whole.sites(), [&](const TuneSite &site) {
      return site.about == entry.about;
    });
    if (about == whole.sites().end())
      continue;
    env.out << visibleLine(about->text) << ": " << textOf(entry.use);
    bool isThere = placeOf(entry).has_value();
    env.out << (isThere ? "\n" : ": not among the choices any more\n");
    holds &= isThere;
    if (isThere)
      (isProduct(*about) ? products : others).push_back(std::move(entry));
  }
  if (products.empty() && others.empty() && holds) {
    env.out << "no entry is about what is chosen here\n";
    return false;
  }
  if (products.size() == 1)
    others.push_back(std::move(products.front()));
  else if (!products.empty())
    holds &= isTrue(gainTogether(products));
  for (const TunedEntry &entry : others)
    holds &= entryHolds(entry);
  return holds;
}

LogicalResult Tune::write(Entries entries) {
  bool written = true;
  if (!options.page.empty())
    written &= succeeded(writeFileAtomically(
        options.page, tunePage(resultName(whole.key()), trials), {}, sink));
  if (!options.write.empty() && !entries.empty())
    written &= succeeded(writeTunedFile(options.write, whole.key().target,
                                        std::move(entries), sources, sink));
  return success(written);
}

int Tune::run() {
  for (const std::string &place : {options.write, options.page})
    if (!place.empty() && failed(checkWritable(place, {}, sink)))
      return badUsage;
  if (std::optional<int> code = whole.begin())
    return *code;
  if (dispatch)
    whole.dispatchTo(*dispatch);
  if (whole.sites().empty()) {
    env.out << "there is nothing to choose: no product has two strategies, and "
               "no bubble a parameter with 'tune' or a knob\n";
    return 0;
  }
  env.out << resultName(whole.key()) << '\n';
  for (const TuneSite &site : whole.sites())
    env.out << "  " << visibleLine(site.text) << ": "
            << site.space.points.size() - 1 << " choices\n";
  env.out.flush();
  if (!options.check.empty())
    return allHold() && sink.errorCount() == 0 ? 0 : 1;
  FailureOr<Entries> entries = searched();
  if (failed(entries)) {
    (void)write({});
    return 1;
  }
  if (entries->empty())
    env.out << "the default is as good as all that was tried\n";
  for (const TunedEntry &entry : *entries)
    env.out << "faster: " << textOf(entry.use)
            << llvm::format(", %.2fx\n", entry.gain->median);
  return succeeded(write(std::move(*entries))) ? 0 : 1;
}

/// Measures a batch for a search that dispatches.
static int runBatch(const TuneOptions &options, DriverEnv &env) {
  SourceStore sources(env.files);
  StreamSink sink(env.err, sources, sinkOptions(env));
  FailureOr<TuneBatch> batch = readBatch(options.batch, sink);
  if (failed(batch))
    return badUsage;
  TuneTrials trials(options.run, batch->module, env, sources, sink);
  if (std::optional<int> code = trials.begin())
    return *code;
  bool isSame = trials.workKey() == batch->work;
  TuneBatchResult result{trials.workKey(), trials.host().cpu, hostName(), {}};
  if (isSame)
    result = measureBatch(*batch, trials);
  if (trials.wasInterrupted())
    return 1;
  return failed(writeFileAtomically(options.batchJson, writeBatchResult(result),
                                    {}, sink))
             ? 1
             : 0;
}

static int runTune(const TuneOptions &options, DriverEnv &env) {
  return options.batch.empty() ? Tune(options, env).run()
                               : runBatch(options, env);
}

CommandRun lh::makeTuneCommand(CLI::App &command) {
  return makeCommand(command, addTuneFlags, runTune);
}
