// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words for findings.
#include "runtime/sim/Findings.h"

#include "runtime/sim/Thread.h"

using namespace lh;

static std::string triple(const SimPosition &at) {
  return "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + ", " +
         std::to_string(at[2]) + ")";
}

std::string lh::describeFinding(StringRef kernel, const SimPosition &block,
                                const SimThread *thread, const SimSite *site,
                                const Twine &what) {
  std::string text = "kernel '" + kernel.str() + "', block " + triple(block);
  if (thread)
    text += ", thread " + triple(thread->id);
  text += ": " + what.str();
  if (!site)
    return text;
  text += ", at `" + site->text + "`";
  if (!site->where.empty())
    text += " (" + site->where + ")";
  return text;
}
