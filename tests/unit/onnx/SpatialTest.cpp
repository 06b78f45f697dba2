// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Image operators that are given what they cannot take say so.
#include "TestModel.h"

#include <catch2/catch.hpp>

using namespace lh;
using namespace lh::test;
using Catch::Matchers::Contains;

using Attributes = std::vector<std::string>;

struct Input {
  int elementType;
  std::vector<int64_t> shape;
};

/// Imports one node with these inputs; its result's shape is left open.
static Imported importSpatial(const std::string &op,
                              const std::vector<Input> &inputs,
                              const Attributes &attributes,
                              int64_t opset = 22) {
  TestModel model;
  model.opset = opset;
  std::vector<std::string> names;
  for (const Input &input : inputs) {
    names.push_back("in" + std::to_string(names.size()));
    model.inputs.push_back(
        valueInfo(names.back(), input.elementType, input.shape));
  }
  model.nodes = {node(op, "it", names, {"y"}, attributes)};
  model.outputs = {valueInfo("y", float32, {-2, -2, -2, -2})};
  return importModel(model);
}

static void checkRefused(const Imported &result, const std::string &words) {
  INFO(result.messages());
  CHECK_FALSE(result.succeeded);
  CHECK_THAT(result.messages(), Contains("node 'it'"));
  CHECK_THAT(result.messages(), Contains(words));
}

TEST_CASE("windows out of range are refused", "[ingress]") {
  Input image{float32, {1, 2, 5, 5}};
  auto kernel = intsAttribute("kernel_shape", {2, 2});
  checkRefused(importSpatial("LpPool", {image},
                             {kernel, intsAttribute("strides", {0, 1})}),
               "'strides' holds 0");
  checkRefused(importSpatial("LpPool", {image}, {kernel, intAttribute("p", 0)}),
               "'p' must be above 0");
  checkRefused(importSpatial("MaxPool", {image},
                             {kernel, intsAttribute("pads", {0, 0, -1, 0})}),
               "'pads' holds -1");
  checkRefused(
      importSpatial("MaxPool", {image},
                    {intsAttribute("kernel_shape", {1 << 20, 1 << 20})}),
      "the kernel has more than");
  checkRefused(importSpatial("MaxPool", {image},
                             {intsAttribute("kernel_shape", {9, 9})}),
               "the padded input has 5");
  checkRefused(importSpatial("MaxPool", {image},
                             {intsAttribute("kernel_shape", {9, 9}),
                              intAttribute("ceil_mode", 1)}),
               "no window starts in spatial dimension 0");
}

TEST_CASE("grids and regions that do not fit are refused", "[ingress]") {
  Input image{float32, {2, 2, 5, 5}};
  checkRefused(
      importSpatial("GridSample", {image, {float32, {2, 3, 3, 3}}}, {}),
      "the grid of shape 2x3x3x3 does not fit");
  checkRefused(
      importSpatial("GridSample", {image, {float32, {1, 3, 3, 2}}}, {}),
      "the grid of shape 1x3x3x2 does not fit");
  checkRefused(
      importSpatial("AffineGrid", {{float32, {2, 2, 3}}, {int64, {5}}}, {}),
      "theta of shape 2x2x3 does not fit");
  Input regions{float32, {3, 4}};
  checkRefused(importSpatial("RoiAlign", {image, regions, {int64, {2}}}, {}),
               "batch_indices must hold an integer per region");
  checkRefused(importSpatial("RoiAlign", {image, regions, {int64, {3}}},
                             {intAttribute("output_height", 0)}),
               "a pooled size of 0 is out of range");
  checkRefused(importSpatial("MaxRoiPool", {image, regions},
                             {intsAttribute("pooled_shape", {2, 2})}),
               "regions of shape 3x4 do not fit");
  checkRefused(importSpatial("NonMaxSuppression",
                             {{float32, {1, 6, 4}}, {float32, {1, 2, 5}}}, {}),
               "boxes of shape 1x6x4 and scores of shape 1x2x5");
}

TEST_CASE("unpooling checks its operands", "[ingress]") {
  Input image{float32, {1, 1, 2, 2}};
  auto kernel = intsAttribute("kernel_shape", {2, 2});
  checkRefused(
      importSpatial("MaxUnpool", {image, {int64, {1, 1, 2, 3}}}, {kernel}),
      "the indices must be int64 and have the input's shape");
  checkRefused(importSpatial("MaxUnpool",
                             {image, {int64, {1, 1, 2, 2}}, {int64, {3}}},
                             {kernel}),
               "output_shape needs 4 values");
  checkRefused(importSpatial("CenterCropPad", {image, {int64, {3}}}, {}),
               "the shape has 3 values for 4 axes");
  checkRefused(importSpatial("Col2Im",
                             {{float32, {1, 4, 9}}, {int64, {2}}, {int64, {3}}},
                             {}),
               "image_shape and block_shape must have one length");
}

TEST_CASE("a deformed convolution checks its fields", "[ingress]") {
  Input image{float32, {1, 4, 5, 5}}, weights{float32, {2, 4, 2, 2}};
  checkRefused(importSpatial("DeformConv",
                             {image, weights, {float32, {1, 7, 4, 4}}}, {}),
               "does not hold 8 values per position");
  checkRefused(importSpatial("DeformConv",
                             {image, weights, {float32, {1, 8, 4, 4}}},
                             {intAttribute("group", int64_t(1) << 62)}),
               "groups and");
}

TEST_CASE("a resize needs scales or sizes that fit", "[ingress]") {
  Input image{float32, {1, 1, 5, 5}};
  checkRefused(importSpatial("Resize", {image}, {}),
               "neither 'scales' nor 'sizes' is given");
  checkRefused(
      importSpatial("Resize", {image, {float32, {0}}, {float32, {3}}}, {}),
      "input 2 must have 4 numbers");
  checkRefused(importSpatial("Resize", {image, {float32, {0}}, {float32, {4}}},
                             {intAttribute("antialias", 1)}),
               "'antialias' needs mode linear or cubic");
  checkRefused(importSpatial("Upsample", {image}, {}, 7),
               "'scales' is missing");
}

TEST_CASE("a resize that reads a known number of elements has no reduction",
          "[ingress]") {
  std::vector<Input> inputs = {
      {float32, {1, 3, 5, 5}}, {float32, {0}}, {float32, {4}}};
  for (StringRef mode : {"linear", "cubic"}) {
    Attributes attributes = {textAttribute("mode", mode.str())};
    Imported few = importSpatial("Resize", inputs, attributes);
    INFO(few.messages());
    CHECK_THAT(few.text, Contains("tensor.extract %"));
    CHECK_THAT(few.text, !Contains("\"reduction\""));
    attributes.push_back(intAttribute("antialias", 1));
    Imported any = importSpatial("Resize", inputs, attributes);
    CHECK_THAT(any.text, Contains("\"reduction\""));
  }
}

TEST_CASE("an image file is not decoded", "[ingress]") {
  Imported result = importSpatial("ImageDecoder", {{float32, {9}}}, {});
  CHECK_FALSE(result.succeeded);
  CHECK_THAT(result.messages(), Contains("op 'ImageDecoder'"));
}
