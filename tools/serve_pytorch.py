# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models by PyTorch, node by node ("eager")."""
import serving


def version():
    import torch
    import onnx_graph  # pylint: disable=unused-import
    return torch.__version__


def load(path, inputs, threads):
    import numpy
    import onnx_graph
    import torch
    from torch.nn import functional

    torch.set_num_threads(threads)
    convolutions = {1: functional.conv1d, 2: functional.conv2d,
                    3: functional.conv3d}
    maxima = {1: functional.max_pool1d, 2: functional.max_pool2d,
              3: functional.max_pool3d}
    averages = {1: functional.avg_pool1d, 2: functional.avg_pool2d,
                3: functional.avg_pool3d}

    class Operators(onnx_graph.Operators):
        # pylint: disable=invalid-name,missing-function-docstring

        def array(self, values):
            return torch.from_numpy(numpy.array(values))

        def padded(self, x, pads, fill):
            """x, and what is left for a function that pads both sides alike."""
            if all(before == behind for before, behind in pads):
                return x, [before for before, _ in pads]
            flat = [size for pair in reversed(pads) for size in pair]
            return functional.pad(x, flat, value=fill), [0] * len(pads)

        def Conv(self, node, x, weight, bias=None):
            kernel = weight.shape[2:]
            strides, dilations, pads = self.window(node, x, kernel)
            x, pads = self.padded(x, pads, 0)
            return convolutions[len(kernel)](x, weight, bias, strides, pads,
                                             dilations, node.get("group", 1))

        def MaxPool(self, node, x):
            kernel = node.get("kernel_shape")
            strides, dilations, pads = self.window(node, x, kernel)
            x, pads = self.padded(x, pads, float("-inf"))
            return maxima[len(kernel)](x, kernel, strides, pads, dilations)

        def AveragePool(self, node, x):
            kernel = node.get("kernel_shape")
            strides, _, pads = self.window(node, x, kernel)
            if any(before != behind for before, behind in pads):
                raise onnx_graph.Unsupported(
                    "no AveragePool with uneven pads in this program")
            return averages[len(kernel)](
                x, kernel, strides, [before for before, _ in pads],
                count_include_pad=bool(node.get("count_include_pad", 0)))

        def GlobalAveragePool(self, _, x):
            return x.mean(tuple(range(2, x.dim())), keepdim=True)

        def BatchNormalization(self, node, x, scale, bias, mean, variance):
            return functional.batch_norm(x, mean, variance, scale, bias,
                                         eps=node.get("epsilon", 1e-5))

        def Gemm(self, node, a, b, c=None):
            if (c is not None and c.dim() == 1 and node.get("transB", 0) and
                    not node.get("transA", 0) and
                    node.get("alpha", 1.0) == node.get("beta", 1.0) == 1):
                return functional.linear(a, b, c)
            return super().Gemm(node, a, b, c)

        def Div(self, _, a, b):
            if a.is_floating_point():
                return a / b
            return torch.div(a, b, rounding_mode="trunc")

        def Sqrt(self, _, x):
            return torch.sqrt(x)

        def Exp(self, _, x):
            return torch.exp(x)

        def Erf(self, _, x):
            return torch.erf(x)

        def Tanh(self, _, x):
            return torch.tanh(x)

        def Sigmoid(self, _, x):
            return torch.sigmoid(x)

        def Relu(self, _, x):
            return torch.relu(x)

        def Clip(self, _, x, low=None, high=None):
            return torch.clamp(x, low, high)

        def Where(self, _, condition, a, b):
            return torch.where(condition, a, b)

        def Softmax(self, node, x):
            return torch.softmax(x, node.get("axis", -1))

        def LayerNormalization(self, node, x, scale, bias=None):
            axis = node.get("axis", -1) % x.dim()
            return functional.layer_norm(x, x.shape[axis:], scale, bias,
                                         node.get("epsilon", 1e-5))

        def ReduceMean(self, node, x, axes=None):
            axes = node.get("axes") if axes is None else self.integers(axes)
            return x.mean(axes or tuple(range(x.dim())),
                          keepdim=bool(node.get("keepdims", 1)))

        def Transpose(self, node, x):
            return x.permute(node.get("perm",
                                      list(reversed(range(x.dim())))))

        def Concat(self, node, *parts):
            return torch.cat(parts, node.get("axis"))

        def Gather(self, node, x, indices):
            axis = node.get("axis", 0) % x.dim()
            if axis == 0 and x.dim() == 2 and indices.dim() > 0:
                return functional.embedding(indices, x)
            if indices.dim() == 0:
                return x.select(axis, int(indices))
            picked = x.index_select(axis, indices.reshape(-1))
            return picked.reshape(*x.shape[:axis], *indices.shape,
                                  *x.shape[axis + 1:])

        def Shape(self, node, x):
            return torch.tensor(x.shape[node.get("start", 0):node.get("end")])

        def ConstantOfShape(self, node, shape):
            value = node.get("value", numpy.zeros(1, numpy.float32))
            return self.array(numpy.full(self.integers(shape), value[0]))

        def Expand(self, _, x, shape):
            sizes = torch.broadcast_shapes(x.shape,
                                           tuple(self.integers(shape)))
            return x.expand(sizes)

        def Cast(self, node, x):
            kind = onnx_graph.element_type(node.get("to"))
            return x.to(torch.from_numpy(numpy.zeros(0, kind)).dtype)

    with torch.inference_mode():
        model = onnx_graph.Model(path, Operators())
    given = [torch.from_numpy(value) for value in inputs]

    def call():
        with torch.inference_mode():
            return model.run(given)

    return call, lambda results: [result.numpy() for result in results]


serving.main(version, load)
