// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Making new expected outputs: how good they are, and what is to be written.
#include "core/plan/GoldenRecord.h"

#include "core/numerics/Npy.h"
#include "core/support/FileNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>

using namespace lh;

Tensor lh::roundedTo(const Tensor &tensor, DType dtype) {
  Tensor rounded(dtype, tensor.shape().vec());
  if (tensor.dtype() == dtype) {
    std::memcpy(rounded.data(), tensor.data(), tensor.sizeInBytes());
    return rounded;
  }
  for (int64_t i = 0; i < tensor.elementCount(); ++i)
    rounded.set(i, tensor.at(i));
  return rounded;
}

RecordErrors lh::measureRecord(const RecordedOutput &output) {
  RecordErrors errors;
  errors.fresh = compareTensors(output.fresh, output.reference, {});
  if (!output.old)
    return errors;
  errors.old = compareTensors(*output.old, output.reference, {});
  errors.change = compareTensors(output.fresh, *output.old, {});
  return errors;
}

std::string lh::whyWorse(const RecordErrors &errors, DType dtype) {
  const CompareResult &fresh = errors.fresh;
  if (!fresh.mismatch.empty())
    return "it differs in form from the reference: " + fresh.mismatch;
  if (fresh.nanActual > fresh.nanExpected)
    return std::to_string(fresh.nanActual) + " NaN where the reference has " +
           std::to_string(fresh.nanExpected);
  if (!errors.old || !errors.old->mismatch.empty())
    return "";
  const CompareResult &old = *errors.old;
  bool beyondRounding = fresh.maxUlp > (isAnyFloat(dtype) ? 1 : 0);
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto compare = [&](StringRef what, double now, double before) {
    if (text.empty() && beyondRounding && now > 2 * before)
      stream << "its " << what << " error is " << llvm::format("%.3g", now)
             << ", the old one's " << llvm::format("%.3g", before);
  };
  compare("greatest", fresh.maxAbs, old.maxAbs);
  compare("root-mean-square", fresh.rmsAbs, old.rmsAbs);
  return text;
}

std::string RecordPlace::prefix() const {
  return (target.empty() ? "" : target + "/") +
         (dtype.empty() ? "" : dtype + "/");
}

std::string RecordPlace::outputsFolder() const {
  return isOverride() ? StringRef(prefix()).drop_back().str() : "outputs";
}

std::vector<std::string> RecordPlace::searched() const {
  std::vector<std::string> folders = {outputsFolder()};
  if (!target.empty() && !dtype.empty())
    folders.insert(folders.end(), {target, dtype});
  if (isOverride())
    folders.push_back("outputs");
  return folders;
}

std::vector<std::string> lh::presentOutputs(llvm::vfs::FileSystem &files,
                                            StringRef folder,
                                            const RecordPlace &place) {
  std::vector<std::string> present;
  std::string outputsAt = (folder + "/" + place.outputsFolder()).str();
  for (const auto &[name, path] : listTensors(files, outputsAt))
    present.push_back(path.substr(folder.size() + 1));
  return present;
}

static std::vector<std::string> fileNames(ArrayRef<RecordedOutput> outputs) {
  std::vector<std::string> names;
  for (const RecordedOutput &output : outputs)
    names.push_back(output.name);
  return lh::fileNames(names);
}

FolderChanges lh::outputChanges(ArrayRef<RecordedOutput> outputs,
                                const RecordPlace &place,
                                ArrayRef<std::string> present) {
  FolderChanges changes;
  for (const std::string &file : present)
    changes[file] = std::nullopt;
  std::vector<std::string> names = ::fileNames(outputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const std::string &name = names[i];
    std::string file =
        place.outputsFolder() + "/" + std::to_string(i) + "-" + name + ".npy";
    // A file that is there keeps its name.
    for (const std::string &old : present) {
      StringRef stem = StringRef(old).rsplit('/').second;
      if (stem.consume_back(".npy") &&
          (stem == name || stem == std::to_string(i) + "-" + name))
        file = old;
    }
    changes[file] = npyBytes(outputs[i].fresh);
  }
  return changes;
}

std::vector<std::string> lh::inputFileNames(ArrayRef<std::string> names) {
  bool byPosition = llvm::any_of(
      names, [](StringRef name) { return fileSafe(name) != name; });
  std::vector<std::string> files;
  for (size_t i = 0; i < names.size(); ++i) {
    std::string number = std::to_string(i);
    // Without a '-' they are sorted as text.
    if (byPosition)
      number.insert(0, 4 - std::min<size_t>(4, number.size()), '0');
    files.push_back(number + (byPosition ? "" : "-" + names[i]) + ".npy");
  }
  return files;
}

void lh::describeOutputs(ArrayRef<RecordedOutput> outputs,
                         Provenance &provenance) {
  provenance.dtypes.clear();
  provenance.nans.clear();
  for (const auto &[output, name] : llvm::zip(outputs, ::fileNames(outputs))) {
    provenance.dtypes[name] = dtypeName(output.fresh.dtype()).str();
    int64_t nans = 0;
    if (isAnyFloat(output.fresh.dtype()))
      for (int64_t i = 0; i < output.fresh.elementCount(); ++i)
        nans += std::isnan(output.fresh.at(i));
    if (nans > 0)
      provenance.nans[name] = nans;
  }
}
