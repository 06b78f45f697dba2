// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exit codes that commands share; docs/cli.md lists each command's.
#ifndef LH_CLI_EXITCODES_H
#define LH_CLI_EXITCODES_H

namespace lh {

/// The command line or a file that it names can't be used.
inline constexpr int badUsage = 2;
/// Nothing ran, as nothing can here; test systems count that as skipped.
inline constexpr int nothingRan = 77;

} // namespace lh

#endif // LH_CLI_EXITCODES_H
