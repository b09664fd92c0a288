# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
#
# expect STATUS TEXT COMMAND..: the command ends with STATUS and TEXT is in what it prints. finish tells the result.
checks=0 failures=0

expect() {
  local want=$1 text=$2 output status=0
  shift 2
  checks=$((checks + 1))
  output=$("$@" 2>&1 </dev/null) || status=$?
  # CMake breaks its messages into lines where it likes.
  if [[ $status -ne $want || "$(tr -s ' \n' ' ' <<<"$output")" != *"$text"* ]]; then
    failures=$((failures + 1))
    printf 'FAILED: %s\n  exit status %s, expected %s; expected text: %s\n  got:\n%s\n' "$*" "$status" "$want" "$text" \
      "$output" >&2
  fi
}

finish() {
  printf '%d checks, %d failed\n' "$checks" "$failures"
  ((failures == 0))
}
