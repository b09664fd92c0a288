# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# README.md must show the example that is compiled and run, to the letter, but for its head of comments.
#   cmake -DREADME=.. -DEXAMPLE=.. -P check_readme.cmake
file(READ "${README}" readme)
file(READ "${EXAMPLE}" example)
if(NOT example MATCHES "\n(cmake_minimum_required|#include)")
  message(FATAL_ERROR "${EXAMPLE} has no first line to show")
endif()
string(FIND "${example}" "\n${CMAKE_MATCH_1}" begin)
string(SUBSTRING "${example}" ${begin} -1 shown)
string(FIND "${readme}" "${shown}```\n" found)
if(found EQUAL -1)
  message(FATAL_ERROR "${README} does not show ${EXAMPLE} as it is")
endif()
