// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "filter_app.hpp"

int main(int argc, char** argv) { return tessera::apps::filter_main(argc, argv); }
