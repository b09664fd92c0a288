#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the three drivers on the arrays of this folder and says what to look at.
# usage: bash demo.sh BIN_FOLDER OUTPUT_FOLDER
set -euo pipefail

if [[ $# -ne 2 ]]; then
  echo "usage: bash demo.sh BIN_FOLDER OUTPUT_FOLDER" >&2
  exit 2
fi
bin=$1
out=$2
inputs=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$out"

look() { printf '\n== %s\n' "$*"; }
run() {
  printf '$ %s\n' "${*##*/bin/}"
  "$bin/$1" "${@:2}"
}
answer() { # dataset, column of answers.tsv
  awk -F'\t' -v name="$1" -v column="$2" 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == column) c = i }
    $1 == name { print $c }' "$inputs/answers.tsv"
}

look "What is in a file"
run tessera-reduce "$inputs/field.h5" --list

look "Reduce a field: sum, smallest and largest element, verified, with the bandwidth reached"
run tessera-reduce "$inputs/field.h5:/temperature" --op sum,min,max --json "$out/reduce.json"
echo "Right: sum $(answer field.h5:/temperature sum), min $(answer field.h5:/temperature min)," \
  "max $(answer field.h5:/temperature max)"

look "Integers are exact: one hot pixel among small counts (a selection leaves it out)"
run tessera-reduce "$inputs/field.h5:/counts" --op sum,max --quiet --json "$out/counts.json"
run tessera-reduce "$inputs/field.h5:/counts[:77]" --op sum,max
echo "Right for the whole array: sum $(answer field.h5:/counts sum), max $(answer field.h5:/counts max)," \
  "as in $out/counts.json"

look "Smooth a noisy signal with 33 taps from a file"
run tessera-filter "$inputs/signal.h5:/signal" --weights-from "$inputs/signal.h5:/taps" --mode reflect \
  --output "$out/smooth.h5:/smooth" --plot "$out/smooth.svg" --force
run tessera-reduce "$out/smooth.h5" --op min,max
echo "The noise reached from $(answer signal.h5:/signal min) to $(answer signal.h5:/signal max);" \
  "the smoothed chirp stays within -1.5 .. 1.5; both are drawn in $out/smooth.svg"

look "Turn a matrix: element [row, column] is 1000 * row + column"
run tessera-transpose "$inputs/matrix.h5" --output "$out/turned.h5:/turned" --force
run tessera-reduce "$out/turned.h5:/turned[3:5, 7]" --op min,max
echo "Right: elements [3, 7] and [4, 7] of the turned matrix are 7003 and 7004"

printf '\nResults and records are in %s\n' "$out"
