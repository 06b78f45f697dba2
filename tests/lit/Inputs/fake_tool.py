"""A tool whose outputs are the golden ones, or not what they should be.

    fake_tool.py HOW EXPECTED MODEL INPUTS OUTPUTS THREADS
"""
import os
import shutil
import sys
import time

how, expected, model, inputs, outputs, threads = sys.argv[1:]
calls = 0
if how == "closes":
    os.close(1)
    time.sleep(600)
if how == "dies-early":
    sys.exit("no such model")
print("a library that talks")
print("lh: ready", flush=True)
for line in sys.stdin:
    word = line.split()[0]
    if how == "hangs" or (how == "hangs-later" and calls > 0 and word == "run"):
        time.sleep(600)
    if how == "dies":
        os.kill(os.getpid(), 11)
    if how == "refuses":
        print("lh: failed no Conv in this program", flush=True)
        continue
    if how == "babbles":
        print("lh: perhaps", flush=True)
        continue
    if word == "run":
        calls += int(line.split()[1])
        time.sleep(0.001 * int(line.split()[1]))
    elif how == "wrong" or (how == "changes" and calls > 1):
        with open(expected, "rb") as file:
            numbers = bytearray(file.read())
        numbers[-1] ^= 0x80  # the last one's sign
        with open(f"{outputs}/0.npy", "wb") as file:
            file.write(numbers)
    elif how != "silent":
        shutil.copy(inputs + "/0.npy" if how == "shape" else expected,
                    outputs + "/0.npy")
    print("lh: done", flush=True)
