// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of a pipeline can be tuned: its products, and values of its bubbles.
#ifndef LH_CLI_TUNESITES_H
#define LH_CLI_TUNESITES_H

#include "cli/PathTrials.h"
#include "core/tune/Space.h"

namespace lh {

/// Something that is chosen by itself.
struct TuneSite {
  std::variant<ProductKey, TunedPath> about;
  std::string text; ///< "mnk 33x65x129 f32 f32 f32, weights"
  TuneSpace space;  ///< the default is the empty point
  /// Of a product: the nodes that its ops come from, as profiles name them.
  std::vector<std::string> nodes;
};

/// The products of one path, with which strategies can compute each; ops of one
/// key once. In the order in which they were seen.
struct ListedProduct {
  ProductKey product;
  std::vector<std::string> ops, nodes;
  OpChoice choice; ///< the last one; its strategy may be empty
  /// By strategy: why it can't; "" where it can at one of the places that
  /// choose.
  std::vector<std::pair<std::string, std::string>> strategies;
};

/// By what the steps of a run's result listed.
std::vector<ListedProduct> listedProducts(const RunRecord &run, size_t result);

/// "mnk 33x65x129 f32 f32 f32, weights".
std::string textOf(const ProductKey &product);

/// The sites of the path of `result`, each with two points at least: its
/// products, then what its bubbles' parameters and knobs may be.
std::vector<TuneSite> tuneSites(const PathTrials &trials, size_t result);

/// `point` of `site` as a file has it.
TunedEntry entryFor(const TuneSite &site, const TunePoint &point);

} // namespace lh

#endif // LH_CLI_TUNESITES_H
