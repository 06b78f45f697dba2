# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ONNX models by NumPy, whose products are OpenBLAS's."""
import math
import re

import serving


def version():
    import numpy
    import onnx_graph  # pylint: disable=unused-import
    numpy.ones((8, 8), numpy.float32) @ numpy.ones((8, 8), numpy.float32)
    with open("/proc/self/maps", encoding="utf-8") as maps:
        found = re.search(r"libopenblas\S*-r([\d.]+)\.so", maps.read())
    if not found:
        raise RuntimeError("NumPy's products aren't OpenBLAS's here; "
                           "libopenblas0 makes them so")
    return f"{numpy.__version__} with OpenBLAS {found[1]}"


def load(path, inputs, _threads):
    import numpy
    import onnx_graph
    from numpy.lib.stride_tricks import sliding_window_view

    try:
        from scipy.special import erf
    except ImportError:
        erf = numpy.frompyfunc(math.erf, 1, 1)

    class Operators(onnx_graph.Operators):
        # pylint: disable=invalid-name,missing-function-docstring

        def array(self, values):
            return values

        def windows(self, node, x, kernel, fill):
            """x as N, C, places, kernel."""
            strides, dilations, pads = self.window(node, x, kernel)
            if any(map(any, pads)):
                x = numpy.pad(x, [(0, 0), (0, 0), *pads], constant_values=fill)
            spans = [(width - 1) * dilation + 1
                     for width, dilation in zip(kernel, dilations)]
            axes = tuple(range(2, 2 + len(kernel)))
            windows = sliding_window_view(x, spans, axes)
            return windows[(slice(None), slice(None),
                            *(slice(None, None, step) for step in strides),
                            *(slice(None, None, step) for step in dilations))]

        def Conv(self, node, x, weight, bias=None):
            groups, kernel = node.get("group", 1), weight.shape[2:]
            rank = len(kernel)
            places = self.windows(node, x, kernel, 0)
            outputs = []
            for part, filters in zip(numpy.split(places, groups, 1),
                                     numpy.split(weight, groups, 0)):
                axes = range(1, 2 + rank)
                product = numpy.tensordot(
                    filters, part, (axes, [1, *range(2 + rank, 2 + 2 * rank)]))
                outputs.append(numpy.moveaxis(product, 0, 1))
            y = outputs[0] if groups == 1 else numpy.concatenate(outputs, 1)
            return y if bias is None else y + bias.reshape(1, -1, *[1] * rank)

        def MaxPool(self, node, x):
            kernel = node.get("kernel_shape")
            axes = tuple(range(-len(kernel), 0))
            return self.windows(node, x, kernel, -numpy.inf).max(axes)

        def AveragePool(self, node, x):
            kernel = node.get("kernel_shape")
            axes = tuple(range(-len(kernel), 0))
            sums = self.windows(node, x, kernel, 0).sum(axes)
            if node.get("count_include_pad", 0):
                return sums / x.dtype.type(math.prod(kernel))
            ones = numpy.ones((1, 1, *x.shape[2:]), x.dtype)
            return sums / self.windows(node, ones, kernel, 0).sum(axes)

        def GlobalAveragePool(self, _, x):
            return x.mean(tuple(range(2, x.ndim)), keepdims=True)

        def Div(self, _, a, b):
            return a // b if a.dtype.kind in "iu" else a / b

        def Sqrt(self, _, x):
            return numpy.sqrt(x)

        def Exp(self, _, x):
            return numpy.exp(x)

        def Erf(self, _, x):
            return erf(x).astype(x.dtype)

        def Tanh(self, _, x):
            return numpy.tanh(x)

        def Sigmoid(self, _, x):
            return 1 / (1 + numpy.exp(-x))

        def Relu(self, _, x):
            return numpy.maximum(x, 0)

        def Clip(self, _, x, low=None, high=None):
            return numpy.clip(x, low, high)

        def Where(self, _, condition, a, b):
            return numpy.where(condition, a, b)

        def Softmax(self, node, x):
            axis = node.get("axis", -1)
            x = numpy.exp(x - x.max(axis, keepdims=True))
            return x / x.sum(axis, keepdims=True)

        def LayerNormalization(self, node, x, scale, bias=None):
            axes = tuple(range(node.get("axis", -1) % x.ndim, x.ndim))
            x = x - x.mean(axes, keepdims=True)
            variance = (x * x).mean(axes, keepdims=True)
            x = x / numpy.sqrt(variance + x.dtype.type(
                node.get("epsilon", 1e-5))) * scale
            return x if bias is None else x + bias

        def ReduceMean(self, node, x, axes=None):
            axes = node.get("axes") if axes is None else self.integers(axes)
            return x.mean(tuple(axes) if axes else None,
                          keepdims=bool(node.get("keepdims", 1)))

        def Transpose(self, node, x):
            return x.transpose(node.get("perm"))

        def Concat(self, node, *parts):
            return numpy.concatenate(parts, node.get("axis"))

        def Gather(self, node, x, indices):
            return numpy.take(x, indices, node.get("axis", 0))

        def Shape(self, node, x):
            return numpy.array(x.shape[node.get("start", 0):node.get("end")],
                               numpy.int64)

        def ConstantOfShape(self, node, shape):
            value = node.get("value", numpy.zeros(1, numpy.float32))
            return numpy.full(self.integers(shape), value[0])

        def Expand(self, _, x, shape):
            sizes = self.integers(shape)
            return numpy.broadcast_to(
                x, numpy.broadcast_shapes(x.shape, tuple(sizes)))

        def Cast(self, node, x):
            return x.astype(onnx_graph.element_type(node.get("to")))

    model = onnx_graph.Model(path, Operators())
    return lambda: model.run(inputs), lambda results: [
        numpy.asarray(result) for result in results]


serving.main(version, load)
