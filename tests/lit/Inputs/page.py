# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a page of a run has of the record that it was made of."""
import base64
import hashlib
import html
import json
import re
import sys

record = json.load(open(sys.argv[1]))
page = open(sys.argv[2], encoding="utf-8").read()

rows = re.findall(r'<tr id="row-(\d+)">(.*?)</tr>', page, re.S)
found = 0
for (number, row), result in zip(rows, record["results"]):
    text = html.unescape(re.sub(r"<[^>]*>", "\n", row))
    wanted = [result["status"], result["key"]["case"],
              result["key"]["pipeline"], result["key"]["target"]]
    found += all(word in text for word in wanted)
print(f"results: {found} of {len(record['results'])}")

names = {step["bubble"] for step in record["steps"]}
drawers = {html.unescape(name) for name in re.findall(
    r'id="bubble-\d+"[^>]*><header><h3>(.*?)</h3>', page, re.S)}
print("bubbles:", "all" if names == drawers else names ^ drawers)

scripts = re.findall(r"<script>(.*?)</script>", page, re.S)
hashes = re.findall(r"script-src 'sha256-([^']+)'", page)
real = [base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()
        for s in scripts]
print(f"scripts: {len(scripts)} that runs,",
      "by its hash" if hashes == real else f"{hashes} {real}")
print("modules:", "some" if '<pre class="diff">' in page else "none")
outside = re.findall(r'(?:src|href)="(?!#|data:)[^"]*"', page)
print("from elsewhere:", outside or "nothing")
