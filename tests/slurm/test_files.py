#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An array over the files of a folder: every file once, a bad one named, nothing done twice."""

import shutil

from job_test import INPUTS, JobTest, main

REDUCE = ("tessera-reduce", "{in}:/temperature", "--op", "mean", "--axis", "0", "--output", "{out}:/mean", "--force")


class Files(JobTest):
    def fill(self, count):
        (self.work / "runs").mkdir()
        self.names = [f"run & {i:02}.h5" for i in range(count)]
        for name in self.names:
            shutil.copy(INPUTS / "field.h5", self.work / "runs" / name)

    def tasks_of_records(self):
        return [self.record(f"results/{name}.json")["slurm"]["array_task_id"] for name in self.names]

    def finished(self):
        return sorted(self.names + [f"{name}.json" for name in self.names])

    def results(self):
        return [name for name in self.files("results") if not name.startswith(".files-")]

    def test_every_file_once(self):
        self.fill(11)
        (self.work / "runs" / "notes.txt").touch()
        job = self.submit("files.sbatch", "runs/", "results", *REDUCE)
        tasks = self.cluster.wait(job)
        self.assertEqual([task["JobState"] for task in tasks], ["COMPLETED"] * 8)
        self.assertEqual(self.results(), self.finished())
        self.assertEqual(self.tasks_of_records(), [0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2])
        slurm = self.record(f"results/{self.names[9]}.json")["slurm"]
        self.assertEqual((slurm["array_job_id"], slurm["restart_count"]), (int(job), 0))
        for log in self.work.glob("*.log"):
            self.assertNotIn("\r", log.read_text())

    def test_bad_file_fails_its_task_alone_and_is_done_when_mended(self):
        self.fill(9)
        bad = self.work / "runs" / self.names[0]
        bad.write_bytes(b"no HDF5")
        job = self.submit("files.sbatch", "runs", "results", *REDUCE, options=("--cpus-per-task=1", "--array=0,3"))
        first, other = sorted(self.cluster.wait(job), key=lambda task: int(task["ArrayTaskId"]))
        self.check_ended(first, "FAILED", "2:0")
        self.check_ended(other, "COMPLETED", "0:0")
        log = self.log(f"{job}_0")
        self.assertIn(f"tessera-reduce: error: runs/{self.names[0]}: is not an HDF5 file", log)
        self.assertIn(f"tessera-files: error: runs/{self.names[0]}: exit status 2", log)
        self.names = [self.names[3], self.names[8]]  # the task of the bad file went on to its next one
        self.assertEqual(self.results(), self.finished())

        shutil.copy(INPUTS / "field.h5", bad)
        again = self.submit("files.sbatch", "runs", "results", *REDUCE, options=("--cpus-per-task=1", "--array=0"))
        [task] = self.cluster.wait(again)
        self.check_ended(task, "COMPLETED", "0:0")
        self.names = [bad.name] + self.names
        self.assertEqual(self.results(), self.finished())
        self.assertIn(f"runs/{self.names[-1]}: done before", self.log(f"{again}_0"))

    def test_requeue_in_the_middle(self):
        self.fill(9)
        driver = self.hold("driver", """
            if [[ $2 != *08.h5* ]]; then exec "$@"; fi
            "$@"
            rm -- "${@: -1}" """, 'exec "$@"')  # the second file: stopped between its output and its record
        job = self.submit("files.sbatch", "runs", "results", driver, *REDUCE,
                          options=("--cpus-per-task=1", "--array=0"))
        self.held()
        shutil.copy(INPUTS / "field.h5", self.work / "runs" / "a new file.h5")  # would be the first of a new list
        self.cluster.requeue(f"{job}_0")
        self.go_on()
        [task] = self.cluster.wait(job)
        self.check_ended(task, "COMPLETED", "0:0")
        self.names = [self.names[0], self.names[8]]
        self.assertEqual(self.results(), self.finished())
        restarts = [self.record(f"results/{name}.json")["slurm"]["restart_count"] for name in self.names]
        self.assertEqual(restarts, [0, 1])

    def test_bad_usage_is_told(self):
        (self.work / "empty").mkdir()
        for arguments, options, message in (
                (("empty", "results"), "0", "usage: sbatch files.sbatch FOLDER RESULTS DRIVER ARGUMENT.., with {in}"),
                (("missing", "results", "true"), "0", "missing: no such folder"),
                (("empty", "results", "true"), "0", "empty: no *.h5 file"),
                (("empty", "results", "true"), "8", "task 8 has no part: the files are shared among tasks 0 to 7")):
            job = self.submit("files.sbatch", *arguments, options=("--cpus-per-task=1", f"--array={options}"))
            [task] = self.cluster.wait(job)
            self.check_ended(task, "FAILED", "2:0")
            self.assertIn(f"tessera-files: error: {message}", self.log(f"{job}_{options}"))


if __name__ == "__main__":
    main()
