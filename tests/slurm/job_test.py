# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the job scripts share: a cluster for each class, the drivers in one folder, a folder to work in."""

import json
import os
import pathlib
import signal
import unittest

from cluster import Cluster, wait_until

SOURCE = pathlib.Path(__file__).resolve().parents[2]
JOBS = SOURCE / "inputs" / "slurm"
INPUTS = SOURCE / "inputs"
SECONDS = 240  # of one test program, below CTest's own limit, so that the cluster is stopped in order

# A driver that waits at a place of the test's choosing: it says where it is and goes on when the file `go` is there.
HOLD = """\
#!/bin/bash
set -euo pipefail
{before}
touch "{work}/held-${{SLURM_ARRAY_TASK_ID:-0}}"
until [[ -e {work}/go ]]; do sleep 0.05; done
{after}
"""


class JobTest(unittest.TestCase):
    """The scripts of inputs/slurm, submitted as they are."""

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()
        cls.drivers = cls.cluster.folder / "bin"
        cls.drivers.mkdir()
        for driver in os.environ["TESSERA_DRIVERS"].split(os.pathsep):
            (cls.drivers / pathlib.Path(driver).name).symlink_to(driver)

    def setUp(self):
        self.work = self.cluster.folder / self._testMethodName
        self.work.mkdir()

    def submit(self, script, *arguments, options=("--cpus-per-task=1",), **variables):
        variables = {"TESSERA_BIN": str(self.drivers), "TESSERA_JOBS": str(JOBS), **variables}
        return self.cluster.submit(JOBS / script, *arguments, options=options, cwd=self.work, **variables)

    def run_job(self, script, *arguments, **others):
        """Its id and the one task's fields at its end."""
        job = self.submit(script, *arguments, **others)
        [task] = self.cluster.wait(job)
        return job, task

    def hold(self, name, before="", after=""):
        """A driver in the work folder that stops between two pieces of bash; `held` waits until it has."""
        path = self.work / name
        path.write_text(HOLD.format(before=before, after=after, work=self.work))
        path.chmod(0o755)
        return path

    def held(self, task=0):
        wait_until((self.work / f"held-{task}").exists, "the driver has come to its stop")

    def go_on(self):
        (self.work / "go").touch()

    def log(self, job):
        [path] = self.work.glob(f"*-{job}.log")
        return path.read_text()

    def record(self, name):
        return json.loads((self.work / name).read_text())

    def files(self, folder="."):
        return sorted(path.name for path in (self.work / folder).iterdir())

    def check_ended(self, task, state, exit_code):
        logs = "".join(f"\n{path.name}:\n{path.read_text()}" for path in sorted(self.work.glob("*.log")))
        self.assertEqual((task["JobState"], task["ExitCode"]), (state, exit_code), logs)


def main():
    def stop(*_):
        raise KeyboardInterrupt  # which unittest passes on; the cluster is stopped at the interpreter's end

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    unittest.main(verbosity=2)
