// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transpose_app.hpp"

int main(int argc, char** argv) { return tessera::apps::transpose_main(argc, argv); }
