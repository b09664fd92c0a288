// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is done to elements on the way; every error of permutations.
#include <bit>
#include <catch2/catch_template_test_macros.hpp>
#include <cmath>
#include <limits>

#include "permute_check.hpp"
#include "support/message.hpp"

namespace {

namespace test = tessera::test;
using tessera::InvalidArgument;
using test::Extents;

struct Affine {
  double factor, offset;
  KOKKOS_FUNCTION double operator()(const float& x) const { return factor * x + offset; }
};

/// expected: of an element, on the host.
template <class In, class Out, class Space, class Function, class Expected>
void check_function(const Space& space, const Function& function, const std::vector<In>& values,
                    const Expected& expected_of) {
  const std::size_t columns = values.size() / 70;
  std::vector<Out> mapped;
  for (const In& value : values) mapped.push_back(expected_of(value));
  const test::GuardedView<In, test::Right, Space, 2> in({70, columns}, values);
  for (const auto variant : tessera::transpose_variants) {
    INFO("variant " << to_string(variant));
    const test::GuardedView<Out, test::Right, Space, 2> out({columns, 70});
    tessera::permute(space, in.const_view(), out.view(), {1, 0}, function, {.variant = variant});
    space.fence();
    test::check_bits(out.read(), tessera::reference::transposed(mapped, 70, columns));
    out.check_guards();
  }
}

TEMPLATE_LIST_TEST_CASE("a user's function of each element", "[permute][function]", test::OneSpace) {
  std::vector<float> values(70 * 132);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 4093);
  check_function<float, double>(TestType(), Affine{0.5, 3}, values, [](float x) { return 0.5 * x + 3; });
}

TEMPLATE_LIST_TEST_CASE("scaled and conjugated elements", "[permute][function]", test::OneSpace) {
  using Complex = Kokkos::complex<float>;
  std::vector<Complex> values(70 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = Complex(static_cast<float>(i), static_cast<float>(i % 7) - 3);
  }
  values[5] = Complex(1, -0.0f);
  values[6] = Complex(2, std::bit_cast<float>(0x7fc12345u));
  values[7] = Complex(3, std::bit_cast<float>(0xffc00001u));
  const auto flipped = [](const Complex& z) {
    return Complex(z.real(), std::bit_cast<float>(std::bit_cast<std::uint32_t>(z.imag()) ^ 0x80000000u));
  };
  check_function<Complex, Complex>(TestType(), tessera::Conjugate{}, values, flipped);

  for (std::size_t i : {5, 6, 7}) values[i] = 0;
  check_function<Complex, Complex>(TestType(), tessera::ScaleConjugate<Complex>{{2, 0}}, values,
                                   [&](const Complex& z) { return Complex(2, 0) * flipped(z); });
  std::vector<double> reals(70 * 33);
  for (std::size_t i = 0; i < reals.size(); ++i) reals[i] = 1.0 / static_cast<double>(i + 1);
  check_function<double, double>(TestType(), tessera::Scale<double>{3}, reals, [](double x) { return 3 * x; });
}

TEMPLATE_LIST_TEST_CASE("elements of other number types are converted", "[permute][function]", test::OneSpace) {
  std::vector<double> values(70 * 35);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i) / 3 - 400;
  values[0] = std::numeric_limits<double>::quiet_NaN();
  values[1] = std::numeric_limits<double>::infinity();
  values[2] = 2.5;
  values[3] = -1e300;
  const test::GuardedView<double, test::Right, TestType, 2> in({70, 35}, values);
  const test::GuardedView<float, test::Right, TestType, 2> narrow({35, 70});
  const test::GuardedView<std::int8_t, test::Left, TestType, 2> whole({70, 35});
  tessera::transpose(TestType(), in.const_view(), narrow.view());
  tessera::copy_layout(TestType(), in.const_view(), whole.view());
  TestType().fence();
  std::vector<float> rounded;
  std::vector<std::int8_t> clamped;
  for (const double value : values) {
    rounded.push_back(static_cast<float>(value));
    const double nearest = std::isnan(value) ? 0 : std::nearbyint(value);
    clamped.push_back(static_cast<std::int8_t>(std::min(127.0, std::max(-128.0, nearest))));
  }
  test::check_bits(narrow.read(), tessera::reference::transposed(rounded, 70, 35));
  test::check_bits(whole.read(), clamped);
}

template <class Space>
using Cube = test::GuardedView<float, test::Right, Space, 3>;

TEMPLATE_LIST_TEST_CASE("axes that are no permutation are an error", "[permute][errors]", test::OneSpace) {
  const Cube<TestType> in({3, 4, 5}, test::values<float>(60)), out({3, 4, 5});
  const auto refused = [&](const std::array<int, 3>& axes, std::string_view text) {
    const auto call = [&] { tessera::permute(TestType(), in.view(), out.view(), axes); };
    test::check_message(test::message_of<InvalidArgument>(call),
                        {"tessera::permute", "`axes`", text, "expected", "each of 0 to 2 once", ";", "`in`"});
  };
  refused({0, 1, 1}, "(0, 1, 1)");
  refused({0, 1, 3}, "(0, 1, 3)");
  refused({-4, 1, 2}, "(-4, 1, 2)");
  refused({2, 1, -1}, "(2, 1, -1)");
  test::check_bits(out.read(), std::vector<float>(60, test::poison<float>()));
}

TEMPLATE_LIST_TEST_CASE("permuted extents that do not match are an error", "[permute][errors]", test::OneSpace) {
  const Cube<TestType> in({3, 4, 5}, test::values<float>(60)), out({5, 3, 4});
  const auto call = [&] { tessera::permute(TestType(), in.view(), out.view(), {2, 1, 0}); };
  test::check_message(test::message_of<InvalidArgument>(call),
                      {"tessera::permute", "`out`", "(5, 3, 4)", "expected", "(5, 4, 3)", "`in`", "(3, 4, 5)",
                       "(2, 1, 0)", ";", "these extents"});
  CHECK_NOTHROW(tessera::permute(TestType(), in.view(), out.view(), {2, 0, 1}));
  TestType().fence();
}

TEMPLATE_LIST_TEST_CASE("views that share elements are refused, interleaved ones are not", "[permute][errors]",
                        test::OneSpace) {
  const test::GuardedView<float, test::Right, TestType, 2> memory({64, 64}, test::values<float>(4096));
  const auto part = [&](std::int64_t first, std::int64_t rows, std::int64_t columns, std::int64_t row_stride,
                        std::int64_t column_stride) {
    const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
    return Kokkos::View<float**, Kokkos::LayoutStride, TestType, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
        memory.view().data() + first,
        Kokkos::LayoutStride(size(rows), size(row_stride), size(columns), size(column_stride)));
  };
  const auto refused = [&](const auto& in, const auto& out) {
    test::check_message(
        test::message_of<InvalidArgument>([&] { tessera::transpose(TestType(), in, out); }),
        {"tessera::transpose", "`out`", "address range overlaps", "`in`", "no stride", "expected", "separate", ";"});
  };
  const auto without_own_elements = [&](const auto& out, const std::string& axis) {
    test::check_message(
        test::message_of<InvalidArgument>([&] { tessera::transpose(TestType(), part(2048, 8, 8, 64, 1), out); }),
        {"tessera::transpose", "`out`", "stride 0 on axis " + axis + " of extents (8, 8)", "expected",
         "memory of its own for each element", ";", "without such strides"});
  };
  without_own_elements(part(0, 8, 8, 0, 1), "0");
  without_own_elements(part(0, 8, 8, 64, 0), "1");
  const auto left = part(0, 32, 32, 64, 1);
  refused(left, left);
  refused(left, part(31, 32, 32, 64, 1));               // one column in common
  refused(part(0, 8, 8, 30, 3), part(1, 8, 8, 50, 5));  // element 6
  const std::vector<float> before = memory.read();
  const auto right = part(32, 32, 32, 64, 1);  // the block to the right
  tessera::transpose(TestType(), left, right);
  TestType().fence();
  std::vector<float> expected = before;
  for (std::size_t i = 0; i < 32; ++i) {
    for (std::size_t j = 0; j < 32; ++j) expected[32 + j * 64 + i] = before[i * 64 + j];
  }
  test::check_bits(memory.read(), expected);
  tessera::transpose(TestType(), part(0, 16, 16, 64, 2), part(1, 16, 16, 64, 2));  // even and odd elements
  TestType().fence();
  for (std::size_t i = 0; i < 16; ++i) {
    for (std::size_t j = 0; j < 16; ++j) expected[1 + j * 64 + 2 * i] = before[i * 64 + 2 * j];
  }
  test::check_bits(memory.read(), expected);
}

TEMPLATE_LIST_TEST_CASE("variants say what they cannot permute", "[permute][errors]", test::OneSpace) {
  const std::vector<std::int64_t> extents(10, 2);
  const std::vector<int> axes{9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
  const auto in = test::device_copy<TestType>(test::values<float>(1024));
  const auto out = test::device_copy<TestType>(std::vector<float>(1024));
  for (const auto variant : {tessera::TransposeVariant::padded, tessera::TransposeVariant::swizzled}) {
    const auto call = [&] {
      tessera::permute_array(TestType(), in.data(), out.data(), {extents, 4}, axes, {.variant = variant});
    };
    test::check_message(test::message_of<InvalidArgument>(call),
                        {"tessera::permute_array", "`options`", to_string(variant), "10 axes", "expected",
                         "automatic, naive or packed", ";"});
  }
}

TEMPLATE_LIST_TEST_CASE("arrays that permute_array cannot take are errors", "[permute][errors]", test::OneSpace) {
  const auto in = test::device_copy<TestType>(test::values<float>(64));
  const auto out = test::device_copy<TestType>(std::vector<float>(64));
  const auto message = [&](const std::vector<std::int64_t>& extents, std::size_t bytes, const std::vector<int>& axes,
                           void* target) {
    return test::message_of<InvalidArgument>([&] {
      tessera::permute_array(TestType(), in.data(), target, {extents, bytes}, axes);
    });
  };
  test::check_message(message(std::vector<std::int64_t>(33, 1), 4, std::vector<int>(33, 0), out.data()),
                      {"tessera::permute_array", "`array`", "rank 33", "expected", "at most 32", ";"});
  test::check_message(message({8, 8}, 0, {1, 0}, out.data()),
                      {"tessera::permute_array", "`array`", "0 bytes", "expected", "at least 1"});
  test::check_message(message({8, -8}, 4, {1, 0}, out.data()),
                      {"tessera::permute_array", "`array`", "extent -8", "expected", "0 or more", ";"});
  const std::int64_t huge = std::int64_t{1} << 40;
  test::check_message(message({huge, huge}, 4, {1, 0}, out.data()),
                      {"tessera::permute_array", "`array`", "more than", "elements", "expected", "64 bits", ";"});
  CHECK_NOTHROW(tessera::permute_array(TestType(), in.data(), out.data(), {std::vector<std::int64_t>{huge, 0, huge}, 4},
                                       std::vector<int>{2, 1, 0}));
  test::check_message(message({8, 8}, 4, {1, 0, 2}, out.data()),
                      {"tessera::permute_array", "`axes`", "(1, 0, 2)", "expected", "each of 2", ";"});
  test::check_message(message({8, 8}, 4, {1, 1}, out.data()),
                      {"tessera::permute_array", "`axes`", "(1, 1)", "expected", "each of 0 to 1 once", ";"});
  test::check_message(message({8, 7}, 4, {1, 0}, in.data() + 8),
                      {"tessera::permute_array", "`out`", "overlap", "expected", "separate", ";"});
}

}  // namespace
