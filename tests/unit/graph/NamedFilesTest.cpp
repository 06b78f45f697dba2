// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where kernels and tools are looked for, and what their files say.
#include "core/graph/NamedFiles.h"
#include "core/manifest/KernelParser.h"
#include "core/manifest/Placeholders.h"
#include "core/manifest/ToolParser.h"

#include "llvm/Support/MemoryBuffer.h"

#include <catch2/catch.hpp>

using namespace lh;

static std::string text(StringRef extent = "{max: 8}",
                        StringRef function = "gemm") {
  return ("{lighthouse: 1, types: {a: i8, b: i8, c: i32}, computes: "
          "{product: " +
          function + "}, sizes: {m: " + extent +
          ", n: {multiple: 4, max: 16}, k: {max: 9}}, body: {c: gemm.c, flags: "
          "[-O1], links: [m]}}")
      .str();
}

static llvm::IntrusiveRefCntPtr<llvm::vfs::InMemoryFileSystem>
filesWith(ArrayRef<StringRef> kernels) {
  auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (StringRef kernel : kernels) {
    files->addFile(kernel, 0, llvm::MemoryBuffer::getMemBufferCopy(text()));
    std::string folder = kernel.rsplit('/').first.str();
    files->addFile(folder + "/gemm.c", 0, llvm::MemoryBuffer::getMemBuffer(""));
  }
  return files;
}

/// The file of the kernel, or what is said of it.
static std::string found(llvm::vfs::FileSystem &files, StringRef name) {
  SourceStore sources(files);
  CollectingSink sink;
  std::vector<std::string> libraries{"/own", "/installed"};
  auto kernel =
      readKernel({name.str(), {}}, {"kernel", "/project/manifests", libraries},
                 sources, sink);
  return succeeded(kernel) ? kernel->file : sink.diagnostics().front().message;
}

TEST_CASE("a user's kernel comes before the libraries'", "[graph]") {
  auto all =
      filesWith({"/project/manifests/kernels/a.yaml", "/project/kernels/a.yaml",
                 "/own/kernels/a.yaml", "/installed/kernels/a.yaml"});
  CHECK(found(*all, "a") == "/project/manifests/kernels/a.yaml");
  auto outer = filesWith({"/project/kernels/a.yaml", "/own/kernels/a.yaml"});
  CHECK(found(*outer, "a") == "/project/kernels/a.yaml");
  auto own = filesWith({"/own/kernels/a.yaml", "/installed/kernels/a.yaml"});
  CHECK(found(*own, "a") == "/own/kernels/a.yaml");
  auto path = filesWith({"/project/other/a.yaml"});
  CHECK(found(*path, "../other/a.yaml") == "/project/other/a.yaml");
}

TEST_CASE("a kernel that isn't there is told with one of its kind", "[graph]") {
  auto files = filesWith({"/own/kernels/portable.yaml"});
  CHECK(found(*files, "portabel") ==
        "no kernel 'portabel'; kernels are files kernels/<name>.yaml; did you "
        "mean 'portable'?");
}

TEST_CASE("all that a kernel's file says is read", "[graph]") {
  CollectingSink sink;
  FailureOr<KernelSpec> kernel =
      parseKernel(text("{multiple: 2, max: 8}"), "/k/mine.yaml", sink);
  REQUIRE(succeeded(kernel));
  CHECK(kernel->name == "mine");
  CHECK(kernel->types.left == "i8");
  CHECK(kernel->types.sum == "i32");
  CHECK(kernel->functions.at("product").value == "gemm");
  CHECK(kernel->rows.multiple == 2);
  CHECK(kernel->rows.most == 8);
  CHECK(kernel->columns.multiple == 4);
  CHECK(kernel->sum.most == 9);
  CHECK(bodyFile(*kernel).value == "gemm.c");
  CHECK(std::get<CSource>(kernel->body).links == std::vector<std::string>{"m"});
}

TEST_CASE("what a kernel can't be is told all at once", "[graph]") {
  CollectingSink sink;
  CHECK(failed(parseKernel(text("{multiple: 3, max: 8}", "9lives"),
                           "/k/a b.yaml", sink)));
  std::string all;
  for (const Diagnostic &diagnostic : sink.diagnostics())
    all += diagnostic.message + "\n";
  CHECK(all == "'sizes.m': the largest size, 8, is no multiple of 3\n"
               "'a b' can't be a kernel's name, which its file gives it\n"
               "'9lives' can't be a function's name in C\n");
}

TEST_CASE("all that a tool's file says is read", "[graph]") {
  CollectingSink sink;
  FailureOr<ToolSpec> tool = parseTool(
      "{lighthouse: 1, doc: mine, takes: [onnx, stablehlo], version: [mine, "
      "--version], at_least: '1.2', install: ask, serve: [mine, '{model}', "
      "'{inputs}:{outputs}', '{here}/x', '-j{threads}'], numerics: {ulp: 4}}",
      "/t/mine.yaml", sink);
  REQUIRE(succeeded(tool));
  CHECK(tool->name == "mine");
  CHECK(tool->takes ==
        std::vector<IngressKind>{IngressKind::Onnx, IngressKind::Stablehlo});
  CHECK(tool->version.size() == 2);
  CHECK(tool->least.value == "1.2");
  CHECK(tool->install == "ask");
  CHECK(tool->serve.back().value == "-j{threads}");
  CHECK(tool->numerics.ulp->value == 4);
}

TEST_CASE("places stand for what they are told, once", "[graph]") {
  CHECK(placesIn("{a}-{b_c}{}{1}{ d}{e") == std::vector<StringRef>{"a", "b_c"});
  CHECK(withPlaces("{a}{b}{c}{a", {{"a", "{b}"}, {"b", "2"}}) == "{b}2{c}{a");
  CHECK(withPlaces("none", {{"none", "x"}}) == "none");
}
