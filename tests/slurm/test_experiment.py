#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""An experiment in shards, and its report: the rows of one unsharded run, each once, with the same bits."""

import json
import subprocess

from job_test import JOBS, JobTest, main

EXPERIMENT = {
    "schema": "tessera-experiment/1",
    "repeat": 1,
    "warmup": 0,
    "cold": 0,
    "parts": [
        {"operations": ["reduce"], "types": ["int32"], "sizes": [1000, 4097], "variants": ["all"]},
        {"operations": ["reduce"], "types": ["float64"], "sizes": [1000, 4097], "summations": ["exact"]},
        {"operations": ["min", "stats"], "types": ["float32"], "sizes": [1000]},
    ],
}
SAME = ("op", "type", "shape", "axis", "axes", "taps", "implementation", "role", "variant", "summation", "plan",
        "status", "result_bits")
SHARDS = [f"shard-{index}-of-4.jsonl" for index in range(4)]


def rows_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def identities(rows):
    return sorted(json.dumps([row[field] for field in SAME]) for row in rows)


class Experiment(JobTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.file = cls.cluster.folder / "experiment.json"
        cls.file.write_text(json.dumps(EXPERIMENT))
        whole = cls.cluster.folder / "whole.jsonl"
        subprocess.run([cls.drivers / "tessera-bench", "run", cls.file, "--out", whole], check=True, timeout=120,
                       stdout=subprocess.DEVNULL, env={**cls.cluster.environment, "OMP_NUM_THREADS": "1"})
        cls.whole = identities(rows_of(whole))

    def submit_both(self, **variables):
        """Ids of the shards' job and of the report's."""
        text = self.cluster.call("bash", JOBS / "submit_experiment.sh", self.file, "results", "--cpus-per-task=1",
                                 cwd=self.work, **{"TESSERA_BIN": str(self.drivers), **variables})
        return [line.split()[2].rstrip(",") for line in text.splitlines()]

    def check_results(self):
        """The shards' rows, once they are shown to be those of the unsharded run."""
        self.assertEqual(self.files("results"), ["report.csv", "report.svg", "report.txt", *SHARDS])
        rows = [row for shard in SHARDS for row in rows_of(self.work / "results" / shard)]
        self.assertEqual(len(set(self.whole)), len(self.whole))
        self.assertEqual(identities(rows), self.whole)
        self.assertTrue(any(row["result_bits"] for row in rows))
        report = (self.work / "results" / "report.txt").read_text()
        for text in ("reduce", "min", "stats", "GB/s: median"):
            self.assertIn(text, report)
        return rows

    def test_failed_shard_is_run_again_alone(self):
        broken = self.work / "bin"
        broken.mkdir()
        driver = broken / "tessera-bench"
        driver.write_text(f'#!/bin/bash\n[[ $* != *"--shard 2/4"* ]] || set -- run missing.json\n'
                          f'exec {self.drivers}/tessera-bench "$@"\n')
        driver.chmod(0o755)
        shards, report = self.submit_both(TESSERA_BIN=str(broken))
        *tasks, last = self.cluster.wait(shards, report)
        tasks = {task["ArrayTaskId"]: task for task in tasks}
        for shard in "013":
            self.check_ended(tasks[shard], "COMPLETED", "0:0")
        self.check_ended(tasks["2"], "FAILED", "2:0")
        self.assertIn("tessera-bench: error: missing.json", self.log(f"{shards}_2"))
        self.assertEqual(last["JobState"], "CANCELLED")  # it does not wait for what will never come
        before = (self.work / "results" / SHARDS[0]).read_bytes()

        job, task = self.run_job("report.sbatch", "results")
        self.check_ended(task, "FAILED", "2:0")
        self.assertIn(f"error: results/{SHARDS[2]} is missing; sbatch --array=2 experiment.sbatch", self.log(job))
        again = self.submit("experiment.sbatch", self.file, "results", options=("--cpus-per-task=1", "--array=0,2"))
        for task in self.cluster.wait(again):
            self.check_ended(task, "COMPLETED", "0:0")
        self.assertIn(f"results/{SHARDS[0]}: complete before", self.log(f"{again}_0"))
        self.assertEqual((self.work / "results" / SHARDS[0]).read_bytes(), before)
        _, task = self.run_job("report.sbatch", "results")
        self.check_ended(task, "COMPLETED", "0:0")
        self.check_results()

    def test_shards_and_report_with_a_requeue_in_the_middle(self):
        (self.work / "bin").mkdir()
        self.hold("bin/tessera-bench", f"""
            if [[ $* != *"--shard 1/4"* ]]; then exec {self.drivers}/tessera-bench "$@"; fi
            part=${{@: -1}}
            [[ ! -e $part ]] || echo "left from before: $part" >&2
            echo '{{"op": "half a li' >"$part" """, f'rm "$part"; exec {self.drivers}/tessera-bench "$@"')
        shards, report = self.submit_both(TESSERA_BIN=str(self.work / "bin"))
        self.held(task=1)
        self.assertEqual(self.files("results"), [SHARDS[0], f"{SHARDS[1]}.part"])
        self.cluster.requeue(f"{shards}_1")
        self.go_on()
        for task in self.cluster.wait(shards, report):
            self.check_ended(task, "COMPLETED", "0:0")
        self.assertNotIn("left from before", self.log(f"{shards}_1"))
        for row in self.check_results():
            slurm, shard = row["slurm"], row["shard"]["index"]
            self.assertEqual((slurm["array_job_id"], slurm["array_task_id"], slurm["restart_count"]),
                             (int(shards), shard, 1 if shard == 1 else 0))

    def test_bad_usage_is_told(self):
        job = self.submit("experiment.sbatch", self.file, options=("--cpus-per-task=1", "--array=0"))
        [task] = self.cluster.wait(job)
        self.check_ended(task, "FAILED", "2:0")
        self.assertIn("error: usage: sbatch experiment.sbatch EXPERIMENT.json RESULTS", self.log(f"{job}_0"))
        for arguments, message in (((), "usage: sbatch report.sbatch RESULTS"),
                                   (("nothing",), "nothing: no shard is complete there")):
            job, task = self.run_job("report.sbatch", *arguments)
            self.check_ended(task, "FAILED", "2:0")
            self.assertIn(f"tessera-report: error: {message}", self.log(job))
        for arguments, message in (((), "usage: bash submit_experiment.sh EXPERIMENT.json RESULTS"),
                                   (("missing.json", "results"), "missing.json: no such file")):
            done = subprocess.run(["bash", JOBS / "submit_experiment.sh", *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    main()
