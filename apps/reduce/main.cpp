// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_app.hpp"

int main(int argc, char** argv) { return tessera::apps::reduce_main(argc, argv); }
