// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text from files, models and tools, made safe to show on a terminal.
#ifndef LH_CORE_SUPPORT_VISIBLETEXT_H
#define LH_CORE_SUPPORT_VISIBLETEXT_H

#include "core/support/Diagnostic.h"

#include "llvm/Support/raw_ostream.h"

namespace lh {

/// `text` with everything that a terminal would act on written out: control
/// characters as `\x1b`, those beyond ASCII and the ones that turn the
/// direction of writing as `\u202e`, bytes that are no UTF-8 as `\xff`. Line
/// ends and tabs stay. What is visible already is left as it is.
std::string visible(StringRef text);

/// The same for what takes one line: a line end becomes `\n`.
std::string visibleLine(StringRef text);

/// The same for a message of ours that quotes others: its further lines are
/// set off by `  | `, so that none looks like a line of ours.
std::string visibleMessage(StringRef text);

/// What people read goes through one of these: it passes on what visible()
/// makes of it. Colours are those of changeColor() and resetColor(), unless
/// enable_colors(false) drops them. The stream below is borrowed; nothing is
/// kept but a character whose end is still to come.
class VisibleStream : public llvm::raw_ostream {
public:
  explicit VisibleStream(llvm::raw_ostream &below, bool isBuffered = false)
      : raw_ostream(/*unbuffered=*/!isBuffered), below(below) {
    enable_colors(true);
  }
  ~VisibleStream() override;

  llvm::raw_ostream &changeColor(enum Colors color, bool bold = false,
                                 bool background = false) override;
  llvm::raw_ostream &resetColor() override;

  /// Goes back to the beginning of a terminal's line and empties it.
  void eraseLine();
  /// Passes on everything, a character without its end too.
  void finish();

private:
  void write_impl(const char *bytes, size_t size) override;
  uint64_t current_pos() const override { return position; }
  void passOn(StringRef code);

  llvm::raw_ostream &below;
  std::string begun; ///< the first bytes of a character
  uint64_t position = 0;
};

} // namespace lh

#endif // LH_CORE_SUPPORT_VISIBLETEXT_H
