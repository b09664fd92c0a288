#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the demonstration arrays of this folder and answers.tsv. Needs h5py and numpy; the same files every time."""

import math
import pathlib

import h5py
import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
SEED = 20260501


def write(name, datasets):
    with h5py.File(FOLDER / name, "w", libver=("earliest", "v108")) as file:
        for path, (data, description, options) in datasets.items():
            dataset = file.create_dataset(path, data=data, track_times=False, **options)
            dataset.attrs["description"] = description


def make_signal(rng):
    """A slow chirp under noise, and the taps of a binomial filter to smooth it."""
    n = 20000
    t = np.linspace(0.0, 1.0, n)
    clean = np.sin(2 * np.pi * (3 * t + 12 * t**2))
    noisy = (clean + 0.4 * rng.standard_normal(n)).astype(np.float32)
    taps = np.array([math.comb(32, k) / 2.0**32 for k in range(33)])
    write("signal.h5", {
        "signal": (noisy, "chirp with noise, 20000 samples", {}),
        "taps": (taps, "binomial weights of order 32, sum 1", {}),
    })
    return {"signal.h5:/signal": noisy}


def make_field(rng):
    """Temperatures on 16 levels of 40 x 48 points, and the counts of a detector with one hot pixel."""
    level, y, x = np.meshgrid(np.arange(16), np.arange(40), np.arange(48), indexing="ij")
    temperature = 288.15 - 0.65 * level + 2.0 * np.sin(0.2 * x) * np.cos(0.15 * y)
    temperature = (temperature + 0.1 * rng.standard_normal(temperature.shape)).astype(np.float32)
    counts = rng.poisson(20.0, size=(120, 160)).astype(np.int32)
    counts[77, 31] = 2_000_000_000
    write("field.h5", {
        "temperature": (temperature, "kelvin, level x y x x", {}),
        "counts": (counts, "detector counts, one hot pixel at [77, 31]",
                   {"chunks": (30, 40), "compression": "gzip", "shuffle": True}),
    })
    return {"field.h5:/temperature": temperature, "field.h5:/counts": counts}


def make_matrix():
    """Each element says where it stands: 1000 * row + column."""
    row, column = np.meshgrid(np.arange(97), np.arange(150), indexing="ij")
    matrix = 1000.0 * row + column
    write("matrix.h5", {"matrix": (matrix, "1000 * row + column", {})})
    return {"matrix.h5:/matrix": matrix}


def main():
    rng = np.random.default_rng(SEED)
    arrays = make_signal(rng) | make_field(rng) | make_matrix()
    lines = ["input\tshape\ttype\tsum\tmin\tmax"]
    for name, data in arrays.items():
        exact = int(data.sum(dtype=np.int64)) if data.dtype.kind == "i" else math.fsum(map(float, data.ravel()))
        low, high = (v.item() for v in (data.min(), data.max()))
        shape = "x".join(map(str, data.shape))
        lines.append(f"{name}\t{shape}\t{data.dtype}\t{exact!r}\t{low!r}\t{high!r}")
    (FOLDER / "answers.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
