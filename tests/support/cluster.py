# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Slurm cluster of three nodes on this machine, for tests: Debian's packages
slurmctld, slurmd, slurm-client and munge, started here and ended here.

As a program it sets one up for a command: cluster.py COMMAND...
"""
import getpass
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PROGRAMS = ("munged", "mungekey", "slurmctld", "slurmd", "sbatch", "sinfo",
            "scontrol", "squeue")

CONFIGURATION = """ClusterName=lighthouse
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout={lost_after}
KillWait=3
MinJobAge=3600
SchedulerParameters=batch_sched_delay=1,sched_interval=2,bf_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobRequeue=1
MaxArraySize={most}
MaxJobCount=20000
JobCompType=jobcomp/filetxt
JobCompLoc={folder}/completed.txt
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
{nodes}
PartitionName=ci Nodes=ALL Default=YES MaxTime=60 State=UP
"""

# What each node has; the second lacks AVX-512.
FEATURES = ("x86,avx2,avx512,vnni,amx,zen4", "x86,avx2",
            "x86,avx2,avx512,vnni,amx,zen4")


def missing():
    """Why there can be no cluster here; '' where there can."""
    paths = os.environ["PATH"] + ":/usr/sbin:/sbin"
    absent = [name for name in PROGRAMS if not shutil.which(name, path=paths)]
    return "there is no " + ", ".join(absent) if absent else ""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Cluster:
    """Nodes w1 to w3, with one core each; `environment` is for its commands."""

    def __init__(self, most_elements=1001, lost_after=20):
        # The paths of sockets are short.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lhc-", dir="/tmp"))
        self.daemons = {}
        self.most_elements = most_elements
        self.lost_after = lost_after
        self.environment = dict(
            os.environ, PATH=os.environ["PATH"] + ":/usr/sbin:/sbin",
            SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        try:
            self.configure()
            key = self.folder / "munge.key"
            self.run("mungekey", "--create", f"--keyfile={key}")
            self.start("munged", "munged", "--foreground", f"--key-file={key}",
                       f"--socket={self.folder}/munge.socket",
                       f"--pid-file={self.folder}/munge.pid",
                       f"--seed-file={self.folder}/munge.seed",
                       f"--log-file={self.folder}/munge.log", "--force")
            self.wait("munged's socket",
                      (self.folder / "munge.socket").exists)
            self.start("slurmctld", "slurmctld", "-D")
            for node in self.nodes():
                self.start_node(node)
            self.wait("three idle nodes", lambda: self.run(
                "sinfo", "-h", "-t", "idle", "-o", "%D", check=False) == "3")
        except BaseException:
            self.__exit__()
            raise
        return self

    def configure(self):
        self.folder.chmod(0o755)
        (self.folder / "state").mkdir()
        host = socket.gethostname()
        port, *ports = free_ports(1 + len(FEATURES))
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 20
        nodes = "\n".join(
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 "
            f"Port={own} CPUs=1 RealMemory={memory // 4} Feature={features} "
            "State=UNKNOWN"
            for name, own, features in zip(self.nodes(), ports, FEATURES))
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=host, port=port, user=getpass.getuser(), nodes=nodes,
            folder=self.folder, most=self.most_elements,
            lost_after=self.lost_after))

    @staticmethod
    def nodes():
        return [f"w{i + 1}" for i in range(len(FEATURES))]

    def start(self, name, *words):
        log = open(self.folder / f"{name}.out", "ab")
        self.daemons[name] = subprocess.Popen(
            words, env=self.environment, stdout=log, stderr=log,
            stdin=subprocess.DEVNULL, start_new_session=True)

    def start_node(self, node):
        (self.folder / f"spool-{node}").mkdir(exist_ok=True)
        self.start(node, "slurmd", "-D", "-N", node)

    def kill_node(self, node):
        """As if its machine had lost power: the daemon and all it runs."""
        daemon = self.daemons.pop(node)
        steps = steps_of(node)
        # Shepherds first: none is to report what becomes of its sheep.
        for process in [daemon.pid, *shepherds_of(steps),
                        *descendants(daemon.pid), *steps]:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        daemon.wait()

    def run(self, *words, check=True):
        done = subprocess.run(words, env=self.environment, text=True,
                              capture_output=True)
        if check and done.returncode:
            raise RuntimeError(f"{words}: {done.stderr}{done.stdout}")
        return done.stdout.strip()

    def wait(self, what, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                logs = "".join(f"{log}:\n{log.read_text()[-1000:]}\n"
                               for log in self.folder.glob("slurm*.log"))
                raise RuntimeError(f"waited {seconds} s for {what}\n{logs}")
            time.sleep(0.2)

    def wait_for_jobs(self, seconds=600):
        self.wait("the queue to be empty",
                  lambda: not self.run("squeue", "-h", check=False), seconds)

    def __exit__(self, *_):
        for node in self.nodes():
            if node in self.daemons:
                self.kill_node(node)
        for daemon in self.daemons.values():
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def descendants(process):
    found = []
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [int(child)] + descendants(int(child))
    return found


def shepherds_of(processes):
    """The slurmstepd above each."""
    found = set()
    for process in processes:
        try:
            status = pathlib.Path(f"/proc/{process}/stat").read_text()
            parent = int(status.rsplit(")", 1)[1].split()[1])
            name = pathlib.Path(f"/proc/{parent}/comm").read_text().strip()
        except OSError:
            continue
        if name == "slurmstepd":
            found.add(parent)
    return found


def steps_of(node):
    """What runs for jobs on the node: Slurm's shepherds leave the daemon."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"SLURMD_NODENAME={node}".encode() in words:
            found.append(int(folder.name))
    return found


if __name__ == "__main__":
    reason = missing()
    if reason:
        sys.exit(reason)
    # Otherwise the daemons would outlive it.
    for end in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(end, lambda number, _: sys.exit(128 + number))
    with Cluster() as cluster:
        sys.exit(subprocess.run(sys.argv[1:],
                                env=cluster.environment).returncode)
