# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Manifests with the bubbles inside of chains in the chains' places."""
import yaml


def parts_of(name, bubble, folder):
    """What `bubble` of a manifest in `folder` is made of, in order: the bubbles
    of its file where that joins files, else itself. What the file hands on to
    them are their own defaults."""
    if "use" not in bubble:
        return {name: bubble}
    path = (folder / bubble["use"]).resolve()
    file = yaml.safe_load(path.read_text())
    inside = file.get("bubbles", {})
    if not inside or not all("use" in one for one in inside.values()):
        return {name: {**bubble, "use": str(path)}}
    [chain] = file["edges"]
    return {part: {"use": str((path.parent / inside[part]["use"]).resolve())}
            for part in chain.split(" -> ")}


def unfolded(manifest, folder):
    """`manifest`, as it was read from `folder`, without chains of files: their
    bubbles go by the names that they have inside."""
    inside = {name: parts_of(name, bubble, folder)
              for name, bubble in manifest["bubbles"].items()}
    bubbles = {}
    for parts in inside.values():
        for name, bubble in parts.items():
            assert bubbles.setdefault(name, bubble) == bubble, f"two {name}"
    pipelines = {
        name: {**pipeline, "path": [part for one in pipeline["path"]
                                    for part in inside[one]]}
        for name, pipeline in manifest["pipelines"].items()}
    edges = dict.fromkeys(
        f"{a} -> {b}" for pipeline in pipelines.values()
        for a, b in zip(pipeline["path"], pipeline["path"][1:]))
    return {**manifest, "bubbles": bubbles, "edges": list(edges),
            "pipelines": pipelines}
