// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reduce_engine_impl.hpp"

namespace tessera::apps {

template std::unique_ptr<ReduceEngine> make_typed_reduce_engine<Kokkos::complex<float>>(HostArray&, const std::string&);

}  // namespace tessera::apps
