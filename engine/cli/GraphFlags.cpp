// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands that read manifests and run nothing.
#include "cli/GraphFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

CLI::App *lh::declareCheck(CLI::App &app, CheckOptions &options) {
  CLI::App *check = app.add_subcommand(
      "check", "check a manifest, its passes and its schedules; run nothing");
  addGraphFlags(*check, options.graph);
  check->add_flag("--strict", options.strict, "warnings fail the check");
  return check;
}

CLI::App *lh::declareList(CLI::App &app, ListOptions &options) {
  CLI::App *list = app.add_subcommand("list", "list what a manifest declares");
  addGraphFlags(*list, options.graph);
  list->add_flag("--facts", options.facts,
                 "the facts of the targets, and where each comes from");
  CLI::Option *space = list->add_flag(
      "--space", options.space,
      "the pipelines as lanes through the bubbles that they use");
  list->add_option("more", options.more, "further manifests of the space")
      ->needs(space)
      ->type_name("MANIFEST");
  return list;
}

CLI::App *lh::declareDraw(CLI::App &app, DrawOptions &options) {
  CLI::App *graph =
      app.add_subcommand("graph", "draw the pipelines of manifests as a map");
  graph
      ->add_option("manifest", options.manifests, "the manifests, YAML or JSON")
      ->required()
      ->type_name("MANIFEST");
  graph
      ->add_option("--format", options.format,
                   "html, svg, dot, mermaid or json (default: html)")
      ->check(CLI::IsMember({"html", "svg", "dot", "mermaid", "json"}));
  graph
      ->add_option("-o,--output", options.output,
                   "where the map goes (default: standard output)")
      ->type_name("FILE");
  graph->add_flag("--expand", options.expand,
                  "show what is inside composite bubbles");
  addSetFlag(*graph, options.graph);
  addLibraryFlags(*graph, options.graph.libraryDirs, options.graph.plugins);
  return graph;
}
