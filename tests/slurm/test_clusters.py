#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Clusters themselves: two at once, a job beyond its time limit, and that nothing of one remains."""

import json
import pathlib
import signal
import subprocess
import sys

from cluster import Cluster, processes_of, remove, wait_until
from job_test import INPUTS, JOBS, JobTest, main

# Starts a cluster with a job that ignores signals, says where it is, and waits to be ended.
VICTIM = """\
import job_test, time
class Victim(job_test.JobTest):
    def test(self):
        self.submit("cpu_node.sbatch", self.hold("driver", "trap '' TERM"))
        self.held()
        print(self.cluster.folder, flush=True)
        time.sleep(60)
job_test.main()
"""


class Clusters(JobTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.limited = cls.cluster.folder / "limited"
        cls.limited.mkdir()
        cls.limited_job = cls.cluster.submit(JOBS / "cpu_node.sbatch", "bash", "-c", "touch started; sleep 200",
                                             options=("--cpus-per-task=1", "--time=1"), cwd=cls.limited,
                                             TESSERA_JOBS=str(JOBS))
        wait_until((cls.limited / "started").exists, "the job runs")
        cls.cluster.call("scontrol", "update", f"JobId={cls.limited_job}", "EndTime=now+1")

    def test_time_limit(self):  # the last one: Slurm looks every 30 s
        [task] = self.cluster.wait(self.limited_job, seconds=90)
        log = (self.limited / f"tessera-cpu-{self.limited_job}.log").read_text()
        self.assertEqual(task["JobState"], "TIMEOUT", log)
        self.assertIn("DUE TO TIME LIMIT", log)

    def test_both_of_two_at_once(self):
        with Cluster("north") as north, Cluster("south") as south:
            jobs = {}
            for cluster in (north, south):
                jobs[cluster] = cluster.submit(
                    JOBS / "cpu_node.sbatch", "tessera-reduce", INPUTS / "matrix.h5", "--json", "record.json",
                    options=("--cpus-per-task=1",), cwd=cluster.folder, TESSERA_BIN=str(self.drivers),
                    TESSERA_JOBS=str(JOBS))
            for cluster, job in jobs.items():
                [task] = cluster.wait(job)
                self.check_ended(task, "COMPLETED", "0:0")
                slurm = json.loads((cluster.folder / "record.json").read_text())["slurm"]
                self.assertEqual((slurm["cluster"], slurm["job_id"]), (cluster.name, int(job)))
        for cluster in (north, south):
            self.assertEqual(processes_of(cluster.folder), [])
            self.assertFalse(cluster.folder.exists())

    def end(self, number):
        victim = subprocess.Popen([sys.executable, "-c", VICTIM], cwd=pathlib.Path(__file__).parent, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(victim.stdout.close)
        folder = pathlib.Path(victim.stdout.readline().strip())
        self.assertGreater(len(processes_of(folder)), 4)
        victim.send_signal(number)
        victim.wait(60)
        return folder

    def test_nothing_remains_of_a_test_that_is_ended(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            folder = self.end(number)
            self.assertEqual(processes_of(folder), [])
            self.assertFalse(folder.exists())

    def test_daemons_end_with_a_test_that_is_killed(self):
        folder = self.end(signal.SIGKILL)
        wait_until(lambda: not any("-D" in command or "--foreground" in command for command in commands(folder)),
                   "the daemons are gone")
        remove(folder)  # the job, which nothing ends, and the files
        self.assertFalse(folder.exists())


def commands(folder):
    found = []
    for process in processes_of(folder):
        try:
            found.append(pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0"))
        except FileNotFoundError:
            pass
    return found


if __name__ == "__main__":
    main()
