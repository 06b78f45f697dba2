# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One cache for several checkouts and machines: what one has compiled the
other finds, through a server (nginx where it is installed, and a minimal one)
or a shared folder; what the server sends wrongly is never used."""
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from support import ROOT, require

LH_RUN = str(pathlib.Path(sys.argv[1]).resolve())
# Rounds of processes that are killed, and how many of each checkout.
ROUNDS, PROCESSES = (10, 20) if "--many" in sys.argv else (10, 2)

MANIFEST = """lighthouse: 1
name: job
targets: [host]
bubbles:
  import: {ingress: onnx, model: "${case.model}", shapes: case}
  simplify: {use: "lib:common/simplify"}
  operands: {use: "lib:cpu/operands"}
  optimize: {use: "lib:cpu/optimize"}
  run: {execute: main}
edges: [import -> simplify -> operands -> optimize -> run]
cases: {digits: {golden: digits-cnn}}
verify: {against: [golden], atol: 2.0e-4, rtol: 0}
"""


class Blobs(http.server.BaseHTTPRequestHandler):
    """GET and PUT of files; `fault` says what goes wrong."""
    protocol_version = "HTTP/1.1"
    store, fault, lock = {}, "", threading.Lock()

    def do_GET(self):
        with self.lock:
            bytes_ = self.store.get(self.path)
        if bytes_ is None:
            return self.answer(404)
        if self.fault == "damage":
            middle = len(bytes_) // 2
            bytes_ = bytes_[:middle] + b"?" + bytes_[middle + 1:]
        elif self.fault == "other":
            bytes_ = self.store[sorted(self.store)[0]]
        elif self.fault == "cut":
            bytes_ = bytes_[:-7]
        elif self.fault == "error":
            return self.answer(500)
        return self.answer(200, bytes_)

    def do_PUT(self):
        bytes_ = self.rfile.read(int(self.headers["Content-Length"]))
        if self.fault == "read-only":
            return self.answer(403)
        with self.lock:
            self.store[self.path] = bytes_
        return self.answer(201)

    def answer(self, code, bytes_=b""):
        self.send_response(code)
        self.send_header("Content-Length", str(len(bytes_)))
        self.end_headers()
        self.wfile.write(bytes_)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, *_):
        """A client that has seen enough hangs up."""


def checkout(folder):
    """A manifest with its model, as somebody else has it elsewhere."""
    folder.mkdir(parents=True)
    shutil.copytree(ROOT / "golden" / "digits-cnn", folder / "digits-cnn")
    (folder / "job.yaml").write_text(MANIFEST)
    return folder


def run(folder, cache, *flags):
    """How many of how many steps were known, what was warned, seconds."""
    begin = time.monotonic()
    done = subprocess.run(
        [LH_RUN, "run", "job.yaml", "--cache", str(cache), "--explain-cache",
         "--strict", *flags], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "NO_COLOR": "1"})
    seconds = time.monotonic() - begin
    require(done.returncode == 0, done.stdout + done.stderr)
    line = next(line for line in done.stdout.splitlines()
                if line.startswith("cache:"))
    words = line.split()
    warned = "\n".join(line for line in done.stderr.splitlines()
                       if "warning:" in line)
    return int(words[1]), int(words[3]), warned, seconds


def check_server(url, folder, what):
    first, second = (checkout(folder / name) for name in ("a", "deeper/b"))
    known, steps, warned, cold = run(first, folder / "c1", "--remote-cache",
                                     url)
    require(known == 0 and not warned, f"first: {known} known, {warned}")
    # What was compiled from files that are gone now.
    shutil.rmtree(first)
    known, steps, warned, warm = run(second, folder / "c2", "--remote-cache",
                                     url + ",read-only")
    require(steps - known == 1 and not warned,
            f"{what}: {known} of {steps} steps were known; {warned}")
    print(f"{what}: {known} of {steps} steps known, the last is the run; "
          f"{cold:.2f} s, then {warm:.2f} s")


def check_faults(url, folder):
    """Each time the numbers are right, and there is one warning."""
    job = checkout(folder / "faults")
    run(job, folder / "f0", "--remote-cache", url)
    for i, (fault, words) in enumerate({
            "damage": "exec-cache-damaged", "cut": "exec-cache-damaged",
            "other": "exec-cache-damaged", "error": "exec-remote-cache"}
            .items()):
        Blobs.fault = fault
        known, steps, warned, _ = run(job, folder / f"f{i + 1}",
                                      "--remote-cache", url + ",read-only")
        count = warned.count("warning:")
        require(words in warned, f"{fault}: {warned}")
        require(count == 1 or fault == "other", f"{fault}: {warned}")
    Blobs.fault = "read-only"
    Blobs.store.clear()
    _, _, warned, _ = run(job, folder / "f9", "--remote-cache", url)
    require("answers PUT with 403" in warned and
            warned.count("warning:") == 1, warned)
    Blobs.fault = ""
    print("damaged, cut and mistaken entries, refusals: never used, told once")


def check_nginx(folder):
    program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
    if not program:
        print("skipped: nginx is not installed")
        sys.exit(77)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    place = folder / "nginx"
    (place / "blobs").mkdir(parents=True)
    place.chmod(0o755)
    temporary = "".join(f"{name}_temp_path {place}/tmp-{name}; " for name in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;" if os.geteuid() == 0 else ""
    (place / "nginx.conf").write_text(f"""daemon off; {user}
worker_processes 1; pid {place}/pid; error_log {place}/log;
events {{ worker_connections 64; }}
http {{ access_log off; {temporary}
  server {{ listen 127.0.0.1:{port};
    location / {{ root {place}/blobs; client_max_body_size 256m;
      dav_methods PUT; create_full_put_path on; }} }} }}
""")
    server = subprocess.Popen([program, "-c", str(place / "nginx.conf"), "-p",
                               str(place)], stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        check_server(f"http://127.0.0.1:{port}/lighthouse", folder / "n",
                     "nginx")
    finally:
        server.terminate()
        server.wait()


def check_shared_folder(folder):
    """Runs of two checkouts write one folder, and are killed; then all is as
    if nothing had been kept."""
    jobs = [checkout(folder / name) for name in ("a", "b")]
    cache = folder / "shared"
    moments = random.Random(1)
    for _ in range(ROUNDS):
        running = [subprocess.Popen(
            [LH_RUN, "run", "job.yaml", "--cache", str(cache)], cwd=job,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True) for job in jobs for _ in range(PROCESSES)]
        time.sleep(moments.uniform(0.02, 0.3 * PROCESSES))
        for process in running:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    for job in jobs:
        run(job, cache)
        known, steps, warned, _ = run(job, cache)
        require(steps - known == 1 and not warned,
                f"{known} of {steps}, {warned}")
    print(f"a shared folder: {2 * ROUNDS * PROCESSES} runs of two checkouts killed, "
          "numbers right, all steps known")


def main():
    if "--nginx" in sys.argv:
        with tempfile.TemporaryDirectory() as folder:
            return check_nginx(pathlib.Path(folder))
    server = Server(("127.0.0.1", 0), Blobs)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/lighthouse"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        check_server(url, folder / "server", "a server of blobs")
        check_faults(url, folder)
        check_shared_folder(folder / "folder")
    server.shutdown()


main()
