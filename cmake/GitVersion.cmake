# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Run at each build: writes TEMPLATE's configured form to OUTPUT, and leaves OUTPUT alone when nothing changed.
#   cmake -DSOURCE_DIR=.. -DTEMPLATE=.. -DOUTPUT=.. -DVERSION=.. -P GitVersion.cmake
set(TESSERA_GIT_HASH unknown)
find_program(GIT_EXECUTABLE git)
# Only where the sources themselves are a repository: unpacked inside another one, its hash would say nothing.
if(GIT_EXECUTABLE AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(COMMAND "${GIT_EXECUTABLE}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=40 --exclude=*
                  OUTPUT_VARIABLE hash RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(TESSERA_GIT_HASH "${hash}")
  endif()
endif()
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
