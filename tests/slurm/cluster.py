# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A private Slurm on the loopback interface: one node, its daemons children of this process, its files in one folder."""

import atexit
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_TRIES = 5  # another process may take a port between its choice and its use
CLIENT_SECONDS = 30  # clients repeat their calls for minutes while a controller is away
STOP_SECONDS = 10
REQUEUE_SECONDS = 2  # the node refuses a job's new credential within the second in which it revoked the old one
PR_SET_PDEATHSIG = 1
FINISHED = {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "DEADLINE"}

CONFIGURATION = """\
ClusterName={name}
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser={user}
SlurmdUser={user}
AuthInfo=socket={folder}/munge.socket
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
{plugins}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
TmpFS={folder}/tmp
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
EnforcePartLimits=ALL
SchedulerParameters=batch_sched_delay=0,sched_interval=1
MpiDefault=none
KillWait=1
PropagateResourceLimits=NONE
NodeName=localhost NodeAddr=127.0.0.1 CPUs=4 RealMemory=1000 State=UNKNOWN
PartitionName=test Nodes=localhost Default=YES MaxTime=8:00:00 State=UP
"""


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    try:
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]
    finally:
        for one in sockets:
            one.close()


def wait_until(condition, what, seconds=60.0):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"after {seconds} s still not: {what}")
        time.sleep(0.05)


def processes_of(folder):
    """Ids of the processes that were started with this folder in their environment or on their command line."""
    found = []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            text = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:  # gone, or someone else's
            continue
        if os.fsencode(f"{folder}/") in text:
            found.append(int(entry.name))
    return found


def remove(folder):
    """The folder of a cluster without daemons, and the processes that are left of it."""
    for process in processes_of(folder):
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass
    wait_until(lambda: not processes_of(folder), "every process of the cluster is gone", STOP_SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


def die_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Cluster:
    """Stopped by whatever ends this process; SIGKILL leaves its files, and its jobs until they end."""

    def __init__(self, name="probe"):
        self.name = name
        # Paths of sockets are short, and slurm.conf takes none with spaces.
        temporary = tempfile.gettempdir()
        if len(temporary) > 60 or " " in temporary:
            temporary = "/tmp"
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tessera-slurm-", dir=temporary))
        self.programs = self.folder / "programs"
        self.programs.symlink_to(pathlib.Path(os.environ["TESSERA_SLURMCTLD"]).parent.parent)
        self.daemons = []
        self.plugins = ""
        self.user = pwd.getpwuid(os.getuid()).pw_name
        self.environment = self._environment()
        atexit.register(self.stop)

    # ---- up and down

    def start(self):
        for _ in range(START_TRIES):
            if self._start():
                return
            self._stop_daemons()
        raise RuntimeError(f"the cluster does not start:\n{self.logs()}")

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def program(self, name):
        """By the name that Debian's alternatives have, or the one that its package has."""
        for candidate in (f"sbin/{name}", f"sbin/{name}-wlm", f"bin/{name}"):
            if (self.programs / candidate).exists():
                return str(self.programs / candidate)
        path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
        if path is None:
            raise FileNotFoundError(f"{name} is neither in {self.programs} nor in PATH")
        return path

    def _environment(self):
        foreign = ("SLURM", "SBATCH_", "SRUN_", "SCANCEL_", "SQUEUE_", "SINFO_", "SCONTROL_", "TESSERA_", "OMP_")
        environment = {key: value for key, value in os.environ.items() if not key.startswith(foreign)}
        environment["SLURM_CONF"] = f"{self.folder}/slurm.conf"
        environment["PATH"] = f"{self.programs}/bin:{environment['PATH']}"
        for plugins in self.programs.glob("lib/*/slurm-wlm"):
            if self.programs.resolve() != pathlib.Path("/usr"):  # unpacked: nothing there finds its libraries by itself
                environment["LD_LIBRARY_PATH"] = f"{plugins}:{plugins.parent}"
                self.plugins = f"PluginDir={plugins}"
        return environment

    def _start(self):
        for name in ("state", "spool", "tmp", "log"):
            (self.folder / name).mkdir(exist_ok=True)
        key = self.folder / "munge.key"
        key.touch(mode=0o600)
        key.write_bytes(os.urandom(1024))
        controller_port, node_port = free_ports(2)
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            name=self.name, controller_port=controller_port, node_port=node_port, user=self.user,
            folder=self.folder, plugins=self.plugins))
        munge = ["--foreground", "--force"]  # --force: the folder is closed to others, which munged warns of
        munge += [f"--{option}={self.folder}/munge.{suffix}" for option, suffix in
                  (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("seed-file", "seed"))]
        munge.append(f"--log-file={self.folder}/log/munged.log")
        configuration = ["-f", f"{self.folder}/slurm.conf"]
        self._daemon("munged", *munge)
        try:
            wait_until(lambda: (self.folder / "munge.socket").exists() or self._fallen(), "munged listens", 10)
            self._daemon("slurmctld", "-D", "-c", *configuration)
            self._daemon("slurmd", "-D", *configuration, "-N", "localhost", "-d", self.program("slurmstepd"))
            wait_until(lambda: self.call("sinfo", "-h", "-o", "%T", check=False).strip() == "idle" or self._fallen(),
                       "the node is idle", 20)
        except (TimeoutError, subprocess.TimeoutExpired):
            return False
        return not self._fallen()

    def _daemon(self, name, *arguments):
        with open(self.folder / "log" / f"{name}.out", "ab") as log:
            self.daemons.append(subprocess.Popen(
                [self.program(name), *arguments], env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, start_new_session=True, preexec_fn=die_with_parent))

    def _fallen(self):
        return any(daemon.poll() is not None for daemon in self.daemons)

    def _stop_daemons(self):
        for daemon in reversed(self.daemons):  # the key's keeper last
            daemon.terminate()
            try:
                daemon.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []

    def _empty_queue(self):
        try:
            self.call("scancel", "--user", self.user, check=False)
            self.call("scancel", "--full", "--signal=KILL", "--user", self.user, check=False)
            wait_until(lambda: not self.call("squeue", "-h", check=False).strip(), "no job is left", 3)
        except (TimeoutError, subprocess.TimeoutExpired):
            pass  # remove() kills what is left

    def stop(self):
        atexit.unregister(self.stop)
        try:
            if self.daemons and not self._fallen():
                self._empty_queue()
        finally:
            self._stop_daemons()
            remove(self.folder)

    def logs(self):
        return "\n".join(f"{log.name}:\n{log.read_text(errors='replace')[-2000:]}"
                         for log in sorted((self.folder / "log").iterdir()))

    # ---- its clients

    def call(self, program, *arguments, check=True, cwd=None, **variables):
        """What a client prints; on failure an exception with its message, or with check=False nothing."""
        done = subprocess.run([program, *map(str, arguments)], env={**self.environment, **variables}, cwd=cwd,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CLIENT_SECONDS)
        if check and done.returncode != 0:
            raise RuntimeError(f"{program} {arguments}: status {done.returncode}: {done.stderr}")
        return done.stdout if done.returncode == 0 else ""

    def submit(self, script, *arguments, options=(), cwd, **variables):
        return self.call("sbatch", "--parsable", *options, script, *arguments, cwd=cwd, **variables).strip()

    def tasks(self, job):
        """The fields of `scontrol show job`, one dictionary for each task of an array."""
        lines = self.call("scontrol", "-o", "show", "job", job).splitlines()
        return [dict(field.split("=", 1) for field in line.split() if "=" in field) for line in lines]

    def wait(self, *jobs, seconds=60.0):
        """The fields of the jobs' tasks once all have ended and their processes are gone."""
        def ended():
            in_queue = self.call("squeue", "-h", "-j", ",".join(jobs), check=False).strip()
            return not in_queue and all(task["JobState"] in FINISHED for job in jobs for task in self.tasks(job))
        wait_until(ended, f"jobs {jobs} have ended", seconds)
        return [task for job in jobs for task in self.tasks(job)]

    def requeue(self, job):
        """Back into the queue and started at once, where Slurm would wait two minutes."""
        self.call("scontrol", "requeue", job)
        wait_until(lambda: self.tasks(job)[0]["JobState"] == "PENDING", f"job {job} is in the queue again")
        time.sleep(REQUEUE_SECONDS)
        self.call("scontrol", "update", f"JobId={job}", "StartTime=now")
