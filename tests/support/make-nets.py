#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models of well-known shape with seeded weights, and their inputs.

    make-nets.py squeezenet FOLDER                 model.onnx + inputs/0-x.npy
    make-nets.py resnet50 FOLDER --zero-weight W   the same, weight W all zero
    make-nets.py resnet50 --list-weights           the weights' names

Every run writes the same bytes, so that golden/<net>/provenance.json can name
the model by its hash. Needs Debian's python3-onnx (and the numpy it brings).
"""

import argparse
import collections
import pathlib

from nets import (bert, densenet, efficientnet, gpt2, inception, llama,
                  mobilenet, quantised, recurrent, resnet, resnext, shufflenet,
                  squeezenet, swin, unet, vgg, vit, yolo)
from nets.net import SEED, Net, Normal, Repeated

Recipe = collections.namedtuple("Recipe", "build opset seed numbers",
                                defaults=[Normal])

RECIPES = {
    "squeezenet": Recipe(squeezenet.build, 13, SEED),
    "squeezenet-small": Recipe(squeezenet.build_small, 13, SEED),
    "resnet50": Recipe(resnet.build, 13, SEED + 1),
    "mobilenetv2": Recipe(mobilenet.build, 13, SEED + 2),
    "mobilenetv2-full": Recipe(mobilenet.build_full, 13, SEED + 2),
    "mobilenetv2-small": Recipe(mobilenet.build_small, 13, SEED + 2),
    "densenet": Recipe(densenet.build, 13, SEED + 3),
    "densenet121": Recipe(densenet.build_full, 13, SEED + 3),
    "unet": Recipe(unet.build, 13, SEED + 4),
    "resnet-block-qdq": Recipe(quantised.build_qdq, 13, SEED + 5),
    "resnet-block-qoperator": Recipe(quantised.build_qoperator, 13, SEED + 5),
    "resnet50-qdq": Recipe(quantised.build_resnet, 13, SEED + 1),
    "vgg19": Recipe(vgg.build, 13, SEED + 14, Repeated),
    "inception": Recipe(inception.build, 13, SEED + 15, Repeated),
    "shufflenet": Recipe(shufflenet.build, 13, SEED + 16),
    **{f"shufflenet-v1-g{groups}":
       Recipe(shufflenet.build_grouped(groups), 13, SEED + 19)
       for groups in shufflenet.FIRST_STAGE},
    "resnext50": Recipe(resnext.build, 13, SEED + 17, Repeated),
    "efficientnet": Recipe(efficientnet.build, 13, SEED + 18),
    "bert-layer": Recipe(bert.build_layer, 17, SEED + 6),
    "bert-base": Recipe(bert.build_base, 17, SEED + 6, Repeated),
    "bert-layer-int8": Recipe(bert.build_dynamic_int8, 17, SEED + 6),
    "gpt2-layer": Recipe(gpt2.build, 17, SEED + 7),
    "llama-layer": Recipe(llama.build, 18, SEED + 11),
    "yolo": Recipe(yolo.build, 17, SEED + 12),
    "vit-block": Recipe(vit.build, 20, SEED + 8),
    "swin-blocks": Recipe(swin.build, 17, SEED + 13),
    "lstm": Recipe(recurrent.build_lstm, 17, SEED + 9),
    "gru": Recipe(recurrent.build_gru, 17, SEED + 10),
}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("net", choices=RECIPES)
    parser.add_argument("folder", type=pathlib.Path, nargs="?")
    parser.add_argument("--zero-weight", metavar="NAME")
    parser.add_argument("--list-weights", action="store_true")
    options = parser.parse_args()
    recipe = RECIPES[options.net]
    net = Net(options.net, recipe.opset, recipe.numbers(recipe.seed),
              options.zero_weight)
    recipe.build(net)
    names = net.listed_weights()
    if options.list_weights:
        print("\n".join(names))
        return
    if options.folder is None:
        parser.error("a folder is needed")
    if options.zero_weight and options.zero_weight not in names:
        parser.error(f"no weight '{options.zero_weight}'; --list-weights "
                     "names them")
    net.save(options.folder)


if __name__ == "__main__":
    main()
