#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One driver in a job: its record and log, a bad input, cancelled, requeued in the middle."""

import os

from job_test import INPUTS, JobTest, main

FIELD = f"{INPUTS}/field.h5:/temperature"


class Jobs(JobTest):
    def test_cpu_node(self):
        job, task = self.run_job("cpu_node.sbatch", "tessera-reduce", FIELD, "--op", "sum", "--json", "record.json")
        self.check_ended(task, "COMPLETED", "0:0")
        log = self.log(job)
        self.assertIn("8701660.983642578", log)
        self.assertNotIn("\r", log)
        record = self.record("record.json")
        self.assertEqual(record["results"][0]["value"], 8701660.983642578)
        self.assertEqual(record["slurm"], {
            "job_id": int(job), "array_job_id": None, "array_task_id": None, "restart_count": 0,
            "nodelist": "localhost", "partition": "test", "ntasks": 1, "cpus_per_task": 1, "gpus": None,
            "cluster": self.cluster.name})

    def test_all_processors_of_the_node_and_no_others(self):
        show = ("bash", "-c", "echo $SLURM_STEP_ID $SLURM_CPUS_PER_TASK $OMP_NUM_THREADS $OMP_PROC_BIND")
        for options, cpus in (((), 4), (("--cpus-per-task=1",), 1)):
            job, _ = self.run_job("cpu_node.sbatch", *show, options=options, OMP_NUM_THREADS="99")
            bound = "spread" if len(os.sched_getaffinity(0)) <= 2 * cpus else "false"  # not with others' processors
            self.assertEqual(self.log(job), f"0 {cpus} {cpus} {bound}\n")

    def test_gpu(self):
        job, task = self.run_job("gpu.sbatch", "tessera-reduce", FIELD, "--json", "record.json",
                                 options=("--gpus=0", "--cpus-per-task=1"), TESSERA_SPACE="serial")
        self.check_ended(task, "COMPLETED", "0:0")
        self.assertEqual(self.record("record.json")["kokkos"]["backend"], "Serial")
        with self.assertRaisesRegex(RuntimeError, "Invalid generic resource"):
            self.submit("gpu.sbatch", "tessera-reduce", FIELD)  # the script does ask for a GPU

    def test_bad_input_fails_with_its_message_and_status(self):
        job, task = self.run_job("cpu_node.sbatch", "tessera-reduce", "missing.h5", "--json", "record.json")
        self.check_ended(task, "FAILED", "2:0")
        self.assertIn("tessera-reduce: error: missing.h5: no such file", self.log(job))
        self.assertEqual(self.files(), [f"tessera-cpu-{job}.log"])

    def test_usage_is_told(self):
        for script in ("cpu_node", "gpu"):
            job, task = self.run_job(f"{script}.sbatch", options=("--gpus=0", "--cpus-per-task=1"))
            self.check_ended(task, "FAILED", "2:0")
            self.assertIn(f"error: usage: sbatch {script}.sbatch DRIVER ARGUMENT..", self.log(job))

    def test_environment_is_named_when_missing(self):
        job, task = self.run_job("cpu_node.sbatch", "tessera-reduce", FIELD, TESSERA_JOBS=str(self.work))
        self.check_ended(task, "FAILED", "1:0")
        self.assertIn(f"{self.work}/environment.sh: No such file or directory", self.log(job))

    def test_cancelled_job_leaves_no_file(self):
        job = self.submit("cpu_node.sbatch", self.hold("driver", f"""
            tessera-reduce {FIELD} --op mean --axis 0 --repeat 1000000000 --output out.h5:/mean --json record.json &
            trap 'wait' TERM
            sleep 0.2""", "wait"))
        self.held()
        self.go_on()
        self.cluster.call("scancel", job)
        [task] = self.cluster.wait(job)
        self.assertEqual(task["JobState"], "CANCELLED")
        self.assertEqual(self.files(), ["driver", "go", "held-0", f"tessera-cpu-{job}.log"])

    def test_requeued_job_does_its_work_again(self):
        job = self.submit("cpu_node.sbatch", self.hold("driver", "echo begins",
                          f"tessera-reduce {FIELD} --op sum --json record.json"))
        self.held()
        self.cluster.requeue(job)
        self.go_on()
        [task] = self.cluster.wait(job)
        self.check_ended(task, "COMPLETED", "0:0")
        self.assertEqual(self.record("record.json")["slurm"]["restart_count"], 1)
        self.assertEqual(self.log(job).count("begins"), 2)  # the log goes on where it was


if __name__ == "__main__":
    main()
