// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The frame of every page that lh-run writes: one file, no network.
#include "insight/map/Page.h"

#include "insight/map/PageAssets.h"
#include "insight/map/Text.h"

#include "llvm/Support/Base64.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"

using namespace lh;

/// A script is allowed by its hash: markup that slipped in can't run.
static std::string policyFor(StringRef script) {
  llvm::SHA256 hash;
  hash.update(script);
  return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
         "base-uri 'none'; form-action 'none'; script-src 'sha256-" +
         llvm::encodeBase64(hash.final()) + "'";
}

std::string lh::htmlPage(const Page &page) {
  std::string script = pageScript + page.script, text;
  llvm::raw_string_ostream out(text);
  out << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
      << "<meta charset=\"utf-8\">\n"
      << "<meta http-equiv=\"Content-Security-Policy\" content=\""
      << policyFor(script) << "\">\n"
      << "<meta name=\"viewport\" content=\"width=device-width, "
         "initial-scale=1\">\n"
      << "<meta name=\"color-scheme\" content=\"light dark\">\n"
      << "<title>" << escapeMarkup(page.title)
      << "</title>\n"
      // An icon of its own, or browsers ask for one.
      << "<link rel=\"icon\" href=\"data:,\">\n"
      << "<style>\n"
      << mapCss << pageCss << page.styles << "</style>\n</head>\n<body>\n"
      << page.body << "<script>" << script << "</script>\n</body>\n</html>\n";
  return text;
}
