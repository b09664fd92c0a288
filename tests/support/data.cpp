// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "data.hpp"

namespace tessera::test {

template std::vector<float> values(std::size_t, std::uint64_t);
template std::vector<double> values(std::size_t, std::uint64_t);
template std::vector<std::int8_t> values(std::size_t, std::uint64_t);
template std::vector<std::uint8_t> values(std::size_t, std::uint64_t);
template std::vector<std::int16_t> values(std::size_t, std::uint64_t);
template std::vector<std::uint16_t> values(std::size_t, std::uint64_t);
template std::vector<std::int32_t> values(std::size_t, std::uint64_t);
template std::vector<std::int64_t> values(std::size_t, std::uint64_t);

}  // namespace tessera::test
