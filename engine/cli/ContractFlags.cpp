// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flags of the commands about contracts.
#include "cli/ContractFlags.h"

#include "cli/SharedFlags.h"

#include <CLI/CLI.hpp>

using namespace lh;

CLI::App *lh::declareContract(CLI::App &app, ContractOptions &options) {
  CLI::App *contract = app.add_subcommand(
      "contract", "say what form a module is in, and whether a bubble may run "
                  "on it");
  contract
      ->add_option("bubble", options.bubble,
                   "lib:area/name or a bubble file (default: only the form)")
      ->type_name("BUBBLE");
  contract->add_option("--on", options.on, "the module: a .mlir or .onnx file")
      ->required()
      ->type_name("FILE");
  contract
      ->add_option("--target", options.target,
                   "the target whose facts parameters refer to")
      ->type_name("NAME");
  addLibraryFlags(*contract, options.libraryDirs, options.plugins);
  return contract;
}

CLI::App *lh::declareInfer(CLI::App &app, InferOptions &options) {
  CLI::App *infer = app.add_subcommand(
      "infer", "write down as a contract what a bubble was seen to do");
  infer->add_option("bubble", options.bubble, "lib:area/name or a bubble file")
      ->required()
      ->type_name("BUBBLE");
  infer
      ->add_option("--runs", options.runs,
                   "run records (run --json --snapshots), or folders of them "
                   "(default: the bubble's own test is run)")
      ->type_name("PATH");
  infer
      ->add_option("--target", options.run.graph.target,
                   "run the test for this target")
      ->type_name("NAME");
  infer
      ->add_option("-j,--jobs", options.run.jobs,
                   "live workers at most (default: one per core)")
      ->type_name("N");
  addAllowExecFlag(*infer, options.run.graph.allowExec);
  addLibraryFlags(*infer, options.run.graph.libraryDirs,
                  options.run.graph.plugins);
  return infer;
}

CLI::App *lh::declarePlan(CLI::App &app, PlanOptions &options) {
  CLI::App *plan = app.add_subcommand(
      "plan", "find a way through the bubble library, and print a manifest "
              "that goes it");
  plan->add_option("--from", options.from,
                   "a .mlir or .onnx file, or a form: onnx, tosa, linalg, "
                   "loops, vector, llvm")
      ->required()
      ->type_name("FORM|FILE");
  plan->add_option("--to", options.to,
                   "a target to run on, or a form: linalg, memref, llvm")
      ->required()
      ->type_name("TARGET|FORM");
  plan->add_option("--target", options.target,
                   "the target, where --to is a form (default: host)")
      ->type_name("NAME");
  plan->add_option("--emit", options.emit,
                   "write this instead of running: mlir, llvm-ir, assembly, "
                   "object, shared-library, ptx, cubin, hsaco")
      ->check(CLI::IsMember({"mlir", "llvm-ir", "assembly", "object",
                             "shared-library", "ptx", "cubin", "hsaco"}));
  plan->add_flag("--dynamic", options.dynamic,
                 "the form has sizes that are known at run time alone");
  plan->add_option("-o,--output", options.output,
                   "where the manifest goes (default: standard output)")
      ->type_name("FILE");
  addLibraryFlags(*plan, options.libraryDirs, options.plugins);
  return plan;
}
