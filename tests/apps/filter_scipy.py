# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares whole outputs of tessera-filter with SciPy's on random cases: filter_scipy.py TESSERA_FILTER"""
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from scipy.ndimage import (convolve1d, correlate1d, gaussian_filter1d, maximum_filter1d, median_filter, minimum_filter1d,
                           uniform_filter1d)
from scipy.signal import savgol_filter

PROGRAM = sys.argv[1]
MODES = ["reflect", "mirror", "nearest", "wrap", "constant"]
random = np.random.default_rng(1)


def linear_case():
    weights = random.standard_normal(random.integers(1, 12))
    taps = len(weights)
    mode, cval = random.choice(MODES), random.standard_normal()
    origin = int(random.integers(-(taps // 2), (taps - 1) // 2 + 1))
    filtered = random.choice([correlate1d, convolve1d])
    options = ["--weights", ",".join(map(repr, map(float, weights))), f"--mode={mode}", f"--cval={cval!r}"]
    options += [f"--origin={origin}"] + (["--convolve"] if filtered is convolve1d else [])
    return options, lambda x: filtered(x, weights, mode=mode, cval=cval, origin=origin)


def gaussian_case():
    sigma, order, truncate = random.uniform(0.05, 4), int(random.integers(0, 5)), random.uniform(1, 6)
    mode = random.choice(MODES)
    options = [f"--gaussian={sigma!r}", f"--order={order}", f"--truncate={truncate!r}", f"--mode={mode}"]
    return options, lambda x: gaussian_filter1d(x, sigma, order=order, mode=mode, truncate=truncate)


def savgol_case():
    window, delta = 2 * int(random.integers(1, 8)) + 1, random.uniform(0.5, 2)
    degree = int(random.integers(0, min(window, 5)))
    derivative = int(random.integers(0, degree + 2))
    mode = random.choice(MODES[1:])
    options = [f"--savgol={window},{degree},{derivative},{delta!r}", f"--mode={mode}"]
    return options, lambda x: savgol_filter(x, window, degree, derivative, delta, mode=mode)


def window_case():
    size, mode, cval = int(random.integers(1, 16)), random.choice(MODES), random.standard_normal()
    origin = int(random.integers(-(size // 2), (size - 1) // 2 + 1))
    names = {"box": uniform_filter1d, "min": minimum_filter1d, "max": maximum_filter1d, "median": median_filter}
    name = random.choice(list(names))
    options = [f"--{name}={size}", f"--mode={mode}", f"--cval={cval!r}", f"--origin={origin}"]
    # SciPy has no median along one axis, and shifts it by elements of each.
    shape, shift = ((1, size), (0, origin)) if name == "median" else (size, origin)
    return options, lambda x: names[name](x, shape, mode=mode, cval=cval, origin=shift)


def check(folder, case, options, filtered):
    # savgol_filter() refuses lines that are shorter than the window in some modes.
    real, imaginary = random.standard_normal((2, int(random.integers(1, 4)), int(random.integers(16, 60))))
    # Of complex arrays SciPy's sums act on the parts, with a real cval; the others refuse them or drop a part.
    is_complex = case // 8 % 2 == 1 and options[0].startswith(("--weights", "--gaussian", "--box"))
    x = (real + 1j * imaginary).astype(["c8", "c16"][case % 2]) if is_complex else real.astype(["f4", "f8"][case % 2])
    with h5py.File(folder + "/in.h5", "w") as file:
        file["x"] = x
    command = [PROGRAM, folder + "/in.h5", *options, "--output", folder + "/out.h5:/y", "--force"]
    command += ["--quiet", "--verify=full", "--space=serial", "--repeat=1", "--warmup=0"]
    subprocess.run(command, check=True)
    with h5py.File(folder + "/out.h5") as file:
        got = file["y"][:]
    expected = filtered(x.astype("c16" if is_complex else "f8"))
    assert got.dtype == x.dtype and got.shape == x.shape, (options, got.dtype, got.shape)
    # Of SciPy's Savitzky-Golay weights fewer digits are right.
    tolerance = 1e-11 if "savgol" in options[0] and x.dtype == "f8" else 160 * np.finfo(x.dtype).eps
    bound = tolerance * max(np.abs(expected).max(), np.abs(x).max())
    error = np.abs(got - expected)
    assert (error <= bound).all(), (options, np.unravel_index(error.argmax(), x.shape), error.max(), bound)


with tempfile.TemporaryDirectory() as folder:
    for case in range(64):
        check(folder, case, *[linear_case, gaussian_case, savgol_case, window_case][case // 2 % 4]())
