# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# README.md must show the example that the consumers compile and run, to the letter.
#   cmake -DREADME=.. -DEXAMPLE=.. -P check_readme.cmake
file(READ "${README}" readme)
file(READ "${EXAMPLE}" example)
string(FIND "${example}" "#include" begin)
string(SUBSTRING "${example}" ${begin} -1 shown)
string(FIND "${readme}" "${shown}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is")
endif()
