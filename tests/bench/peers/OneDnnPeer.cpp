// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// oneDNN: matmul with plain and with reordered weights, dnnl_sgemm, and
// convolutions.
#include "Worker.h"

#include <oneapi/dnnl/dnnl.hpp>

using namespace peers;
using Tag = dnnl::memory::format_tag;
using Type = dnnl::memory::data_type;

namespace {
/// The one engine and stream of the process.
struct Machine {
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
};
} // namespace

static Machine &machine() {
  static Machine one;
  return one;
}

static Type typeOf(const Operand &operand) {
  static const std::map<std::string, Type> types{{"f32", Type::f32},
                                                 {"bf16", Type::bf16},
                                                 {"i8", Type::s8},
                                                 {"i32", Type::s32}};
  return types.at(operand.type);
}

static dnnl::memory::desc describe(const Operand &operand, Tag tag) {
  return {operand.shape, typeOf(operand), tag};
}

static dnnl::memory plain(const Operand &operand) {
  static const std::vector<Tag> tags{Tag::x, Tag::a, Tag::ab, Tag::abc,
                                     Tag::abcd};
  return {describe(operand, tags.at(operand.shape.size())), machine().engine,
          operand.bytes.get()};
}

static void reorder(dnnl::memory from, dnnl::memory to) {
  dnnl::reorder(from, to).execute(machine().stream, from, to);
  machine().stream.wait();
}

static Candidate multiplication(const Work &work, bool prepacked) {
  const Operand &a = work.input(0), &b = work.input(1);
  Operand c = unwritten(work.outputs[0]);
  dnnl::matmul::primitive_desc how({describe(a, Tag::ab),
                                    describe(b, prepacked ? Tag::any : Tag::ab),
                                    describe(c, Tag::ab)},
                                   machine().engine);
  dnnl::memory weights = plain(b);
  if (prepacked) {
    weights = dnnl::memory(how.weights_desc(), machine().engine);
    reorder(plain(b), weights);
  }
  dnnl::matmul primitive(how);
  std::unordered_map<int, dnnl::memory> arguments{{DNNL_ARG_SRC, plain(a)},
                                                  {DNNL_ARG_WEIGHTS, weights},
                                                  {DNNL_ARG_DST, plain(c)}};
  std::string name = prepacked ? "oneDNN-prepacked" : "oneDNN";
  auto run = [=] {
    primitive.execute(machine().stream, arguments);
    machine().stream.wait();
  };
  return {name + "[" + how.impl_info_str() + "]", run, {c}};
}

static Candidate sgemm(const Work &work) {
  const Operand &a = work.input(0), &b = work.input(1);
  Operand c = unwritten(work.outputs[0]);
  int64_t m = a.shape[0], k = a.shape[1], n = b.shape[1];
  auto run = [=] {
    dnnl_sgemm('N', 'N', m, n, k, 1, a.as<float>(), k, b.as<float>(), n, 0,
               c.as<float>(), n);
  };
  return {"oneDNN-sgemm", run, {c}};
}

static std::vector<Candidate> matmul(const Work &work) {
  std::vector<Candidate> candidates{multiplication(work, false),
                                    multiplication(work, true)};
  if (work.input(0).type == "f32")
    candidates.push_back(sgemm(work));
  return candidates;
}

/// One primitive with its arguments.
template <typename Primitive>
static std::function<void()>
bound(Primitive primitive, std::unordered_map<int, dnnl::memory> arguments) {
  return [=] { primitive.execute(machine().stream, arguments); };
}

/// y = relu(x w + b), fused, w in the layout that oneDNN likes best.
static std::function<void()> layer(const Operand &x, const Operand &weight,
                                   const Operand &bias, const Operand &y) {
  dnnl::post_ops relu;
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  Operand row = bias;
  row.shape = {1, bias.shape[0]};
  dnnl::matmul::primitive_desc how(
      {describe(x, Tag::ab), describe(weight, Tag::any), describe(row, Tag::ab),
       describe(y, Tag::ab)},
      attributes, machine().engine);
  dnnl::memory weights(how.weights_desc(), machine().engine);
  reorder(plain(weight), weights);
  return bound(dnnl::matmul(how), {{DNNL_ARG_SRC, plain(x)},
                                   {DNNL_ARG_WEIGHTS, weights},
                                   {DNNL_ARG_BIAS, plain(row)},
                                   {DNNL_ARG_DST, plain(y)}});
}

/// Inputs: x, then a weight and a bias for each layer.
static Candidate mlp(const Work &work) {
  std::vector<std::function<void()>> layers;
  std::vector<Operand> values{work.input(0)};
  for (size_t i = 1; i + 1 < work.inputs.size(); i += 2) {
    values.push_back(unwritten(work.outputs[0]));
    layers.push_back(layer(values[values.size() - 2], work.input(i),
                           work.input(i + 1), values.back()));
  }
  auto run = [layers, keep = values] {
    for (const std::function<void()> &each : layers)
      each();
    machine().stream.wait();
  };
  return {"oneDNN-fused", run, {values.back()}};
}

/// One primitive from x to y.
template <typename Primitive>
static Candidate single(const Work &work, const typename Primitive::desc &what,
                        std::unordered_map<int, dnnl::memory> arguments = {}) {
  Operand y = unwritten(work.outputs[0]);
  typename Primitive::primitive_desc how(what, machine().engine);
  arguments[DNNL_ARG_SRC] = plain(work.input(0));
  arguments[DNNL_ARG_DST] = plain(y);
  auto run = [step = bound(Primitive(how), arguments)] {
    step();
    machine().stream.wait();
  };
  return {std::string("oneDNN[") + how.impl_info_str() + "]", run, {y}};
}

static Candidate softmax(const Work &work) {
  return single<dnnl::softmax_forward>(work,
                                       {dnnl::prop_kind::forward_inference,
                                        describe(work.input(0), Tag::ab), 1});
}

static Candidate gelu(const Work &work) {
  return single<dnnl::eltwise_forward>(
      work,
      {dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_gelu_erf,
       describe(work.input(0), Tag::ab), 0, 0});
}

static Candidate layerNorm(const Work &work) {
  auto flags = dnnl::normalization_flags::use_scale |
               dnnl::normalization_flags::use_shift;
  return single<dnnl::layer_normalization_forward>(
      work,
      {dnnl::prop_kind::forward_inference, describe(work.input(0), Tag::ab),
       1e-5f, flags},
      {{DNNL_ARG_SCALE, plain(work.input(1))},
       {DNNL_ARG_SHIFT, plain(work.input(2))}});
}

/// A tensor [batch][height][width][channels] in oneDNN's order of dimensions.
static dnnl::memory::desc describeImage(const Operand &image, Tag tag) {
  const std::vector<int64_t> &n = image.shape;
  return {{n[0], n[3], n[1], n[2]}, typeOf(image), tag};
}

/// y = relu(x * w + b) with w in the layout that oneDNN likes best; so are the
/// images with Tag::any, as they are between the layers of a net.
static Candidate convolution(const Work &work, dnnl::algorithm algorithm,
                             Tag images, const std::string &name) {
  const Operand &x = work.input(0), &weight = work.input(1),
                &bias = work.input(2);
  Operand y = unwritten(work.outputs[0]);
  dnnl::post_ops relu;
  relu.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  dnnl::primitive_attr attributes;
  attributes.set_post_ops(relu);
  int64_t rim = weight.shape[2] / 2;
  dnnl::convolution_forward::primitive_desc how(
      {dnnl::prop_kind::forward_inference,
       algorithm,
       describeImage(x, images),
       describe(weight, Tag::any),
       describe(bias, Tag::x),
       describeImage(y, images),
       {1, 1},
       {rim, rim},
       {rim, rim}},
      attributes, machine().engine);
  dnnl::memory source(how.src_desc(), machine().engine),
      weights(how.weights_desc(), machine().engine),
      result(how.dst_desc(), machine().engine),
      given(describeImage(x, Tag::nhwc), machine().engine, x.bytes.get()),
      wanted(describeImage(y, Tag::nhwc), machine().engine, y.bytes.get());
  reorder(given, source);
  reorder(plain(weight), weights);
  auto step =
      bound(dnnl::convolution_forward(how), {{DNNL_ARG_SRC, source},
                                             {DNNL_ARG_WEIGHTS, weights},
                                             {DNNL_ARG_BIAS, plain(bias)},
                                             {DNNL_ARG_DST, result}});
  auto run = [step] {
    step();
    machine().stream.wait();
  };
  auto handOut = [result, wanted] { reorder(result, wanted); };
  run();
  handOut();
  return {
      name + "-prepacked[" + how.impl_info_str() + "]", run, {y}, {}, handOut};
}

static std::vector<Candidate> convolutions(const Work &work) {
  using dnnl::algorithm;
  std::vector<Candidate> candidates{
      convolution(work, algorithm::convolution_direct, Tag::any, "oneDNN"),
      convolution(work, algorithm::convolution_direct, Tag::nhwc,
                  "oneDNN-nhwc")};
  try {
    candidates.push_back(convolution(work, algorithm::convolution_winograd,
                                     Tag::any, "oneDNN-winograd"));
  } catch (const dnnl::error &) { // it has none for this window
  }
  return candidates;
}

std::vector<Candidate> peers::makeCandidates(const Work &work) {
  if (work.kind == "matmul")
    return matmul(work);
  if (work.kind == "mlp")
    return {mlp(work)};
  if (work.kind == "softmax")
    return {softmax(work)};
  if (work.kind == "layernorm")
    return {layerNorm(work)};
  if (work.kind == "gelu")
    return {gelu(work)};
  if (work.kind == "convolution")
    return convolutions(work);
  return {};
}
