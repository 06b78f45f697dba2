// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text to TunedSpec.
#include "core/manifest/TunedParser.h"

#include "core/manifest/KeyTable.h"
#include "core/manifest/Values.h"

using namespace lh;

static void checkTwice(const TunedSpec &tuned, DiagnosticSink &sink) {
  for (size_t i = 0; i < tuned.entries.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (tuned.entries[i].about == tuned.entries[j].about) {
        (void)sink.error(DiagKind::ManifestBadValue, tuned.entries[i].where,
                         "there is an entry about the same already",
                         {{tuned.entries[j].where, "here"}});
        break;
      }
}

FailureOr<TunedSpec> lh::parseTuned(StringRef text, StringRef file,
                                    DiagnosticSink &sink) {
  unsigned errors = sink.errorCount();
  FailureOr<YamlNode> document = readDocument(text, file, tunedMapping(), sink);
  if (failed(document))
    return failure();
  TunedSpec tuned;
  tuned.file = file.str();
  readKeys(*document, tunedMapping(), &tuned, sink);
  if (sink.errorCount() == errors)
    checkTwice(tuned, sink);
  if (sink.errorCount() != errors)
    return failure();
  return tuned;
}
