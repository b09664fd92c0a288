// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "heat_app.hpp"

int main(int argc, char** argv) { return tessera::apps::heat_main(argc, argv); }
