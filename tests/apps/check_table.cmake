# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# README has the table that BENCH makes of RESULTS: cmake -DBENCH= -DRESULTS= -DREADME= [-DOPTIONS=] -P check_table.cmake
execute_process(COMMAND "${BENCH}" report "${RESULTS}" --markdown=- ${OPTIONS} OUTPUT_VARIABLE table RESULT_VARIABLE status)
file(READ "${README}" readme)
string(FIND "${readme}" "${table}" place)
if(NOT status EQUAL 0 OR table STREQUAL "" OR place EQUAL -1)
  message(FATAL_ERROR "${README} does not have what `tessera-bench report --markdown` makes of ${RESULTS}:\n${table}")
endif()
