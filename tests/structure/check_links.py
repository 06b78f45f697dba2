#!/usr/bin/env python3
"""Every relative link in a tracked Markdown file leads somewhere.

check_links.py: the file or folder that a link names is tracked, and the
heading that its anchor names exists. Links with a scheme (https:) are not
followed.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^()\s]+)\)|\b(?:src|href)=\"([^\"]+)\"")
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], cwd=ROOT,
                            capture_output=True, text=True)
    if listed.returncode:
        print("skipped: git does not say which files are tracked here")
        sys.exit(77)
    return [name for name in listed.stdout.split("\0") if name]


def lines_outside_code(path):
    """(number, line) of each line that is not in a fenced block."""
    fenced = False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield number, line


def anchors(path):
    """The anchors of a page's headings, as GitHub makes them."""
    found = set()
    for _, line in lines_outside_code(path):
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading[1]).lower()
            found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def problem(page, link, files):
    """What is wrong with a link of a page, or None."""
    name, _, anchor = link.partition("#")
    target = (page.parent / name).resolve() if name else page
    if not target.is_relative_to(ROOT):
        return "leads out of the project"
    relative = str(target.relative_to(ROOT))
    if relative not in files and \
            not any(file.startswith(f"{relative}/") for file in files):
        return "there is no such tracked file"
    if anchor and target.suffix == ".md" and anchor not in anchors(target):
        return f"{relative} has no heading for #{anchor}"
    return None


def main():
    files = set(tracked())
    pages = [name for name in tracked("*.md") if (ROOT / name).exists()]
    links = broken = 0
    for name in pages:
        for number, line in lines_outside_code(ROOT / name):
            line = re.sub(r"`[^`]*`", "", line)
            for match in LINK.finditer(line):
                link = match[1] or match[2]
                if re.match(r"[a-z][a-z0-9+.-]*:", link):
                    continue
                links += 1
                wrong = problem(ROOT / name, link, files)
                if wrong:
                    broken += 1
                    print(f"{name}:{number}: {link}: {wrong}")
    print(f"{links} links in {len(pages)} pages, {broken} broken")
    return 1 if broken or not links else 0


if __name__ == "__main__":
    sys.exit(main())
