// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex datasets through the driver, against schoolbook integers part by part and values worked out by hand.
#include <complex>

#include "apps/reduce_driver_support.hpp"
#include "device/session.hpp"
#include "reference/exact_reference.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using tessera::test::infinity;
using tessera::test::nan;
using Complex = std::complex<double>;
using reference::ExactSums;

/// Parts of many exponents, which no double sums without error.
template <class Real>
std::vector<std::complex<Real>> wide_values(int size, int exponents) {
  std::vector<std::complex<Real>> values;
  for (int i = 0; i < size; ++i) {
    values.emplace_back(std::ldexp(static_cast<Real>(i * 7919 % 4001 - 2000), i * 37 % exponents - exponents / 2),
                        std::ldexp(static_cast<Real>(i * 104729 % 3001 - 1500), i * 53 % exponents - exponents / 2));
  }
  return values;
}

struct ComplexInputs : Inputs {
  std::vector<Complex> z = wide_values<double>(15 * 7 * 11, 300);
  std::vector<std::complex<float>> c = wide_values<float>(15 * 7 * 11, 60);
  std::string out = folder / "out.h5";

  ComplexInputs() {
    const Handle in = edit_file(file), chunks = chunked_list({4, 3, 5});
    add_complex(in.get(), "z", z, {15, 7, 11});
    add_complex(in.get(), "c", c, {15, 7, 11});
    const Handle memory = complex_type(H5T_NATIVE_DOUBLE, "re", "im");
    REQUIRE(H5Pset_deflate(chunks.get(), 1) >= 0);
    add_dataset(in.get(), "big", complex_type(H5T_IEEE_F64BE, "re", "im").get(), {15, 7, 11}, memory.get(), z.data(),
                chunks.get());
    add_complex<double>(in.get(), "zodd", {{1, nan}, {infinity, 2}, {3, 1}, {nan, -infinity}, {0, -0.0}, {2, 0}});
    add_complex<double>(in.get(), "znone", {}, {0, 3});
    add_complex<float>(in.get(), "small", {{1, 2}, {3, 4}, {-5, 6}});
    add_complex<float>(in.get(), "tie", {{1, -1}, {0x1p-24F, -0x1p-24F}, {0x1p-60F, -0x1p-60F}});
    add_complex<float>(in.get(), "large", {{0x1p100F, 0x1p100F}, {0x1p100F, -0x1p100F}, {0, 0x1p-101F}});
  }
};

/// What ops give of a list of elements, of which none is NaN.
template <class Real>
struct Expected {
  std::vector<Real> re, im, both;
  explicit Expected(const std::vector<std::complex<Real>>& values) {
    for (const auto& value : values) {
      re.push_back(value.real());
      im.push_back(value.imag());
      both.insert(both.end(), {value.real(), value.imag()});
    }
  }
  [[nodiscard]] Complex sum() const {
    return {ExactSums(re).template sum<double>(), ExactSums(im).template sum<double>()};
  }
  [[nodiscard]] Complex mean() const {
    return {ExactSums(re).template mean<double>(), ExactSums(im).template mean<double>()};
  }
  [[nodiscard]] double l1() const { return ExactSums(both).template l1<double>(); }
  [[nodiscard]] double l2() const { return ExactSums(both).template l2<double>(); }
};

void check_complex(const nlohmann::json& entry, const Complex& value) {
  INFO(entry.dump());
  CHECK(entry["type"] == "complex128");
  CHECK(entry["value"] == std::vector<double>{value.real(), value.imag()});
  CHECK(entry["bits"] == std::vector<std::string>{bits_of(value.real()), bits_of(value.imag())});
}

template <class Real>
void check_whole(const nlohmann::json& results, const std::vector<std::complex<Real>>& values) {
  const Expected<Real> expected(values);
  REQUIRE(results.size() == 7);
  CHECK(results[0]["value"] == values.size());
  CHECK(results[1]["value"] == 0);
  CHECK(results[2]["value"] == 0);
  check_complex(results[3], expected.sum());
  check_complex(results[4], expected.mean());
  CHECK(results[5]["type"] == "float64");
  CHECK(results[5]["value"] == expected.l1());
  CHECK(results[6]["bits"] == bits_of(expected.l2()));
}

}  // namespace

TEST_CASE("tessera-reduce: complex arrays, whole, by what complex elements have") {
  const ComplexInputs inputs;
  const auto record = record_of(reduce({inputs("z"), "--json=-", "--quiet"}));
  CHECK(record["input"]["dtype"] == "complex128");
  CHECK(record["input"]["bytes"] == 16 * inputs.z.size());
  CHECK(record["runs"].size() == 1);
  CHECK(record["runs"][0]["operation"] == "stats");
  CHECK(record["runs"][0]["summation"] == "exact");
  std::vector<std::string> names;
  for (const auto& entry : record["results"]) names.push_back(entry["op"]);
  CHECK(names == std::vector<std::string>{"count", "count_nan", "count_inf", "sum", "mean", "l1", "l2"});
  check_whole(record["results"], inputs.z);
  check_whole(results_of({inputs("big")}), inputs.z);
  check_whole(results_of({inputs("c")}), inputs.c);
  check_complex(results_of({inputs("c"), "--op=sum"})[0], Expected<float>(inputs.c).sum());  // by a kernel of its own
  std::vector<Complex> part;
  for (std::size_t i = 77; i < 5 * 77; i += 2 * 77) part.insert(part.end(), &inputs.z[i], &inputs.z[i] + 77);
  check_whole(results_of({inputs("big[1:5:2]")}), part);

  const auto few = results_of({inputs("small"), "--op=prod,any,all,count_zero,sum", "--summation=fast"});
  check_complex(few[0], {-35, -80});
  CHECK(few[1]["value"] == true);
  CHECK(few[2]["value"] == true);
  CHECK(few[3]["value"] == 0);
  check_complex(few[4], {-1, 12});
  check_complex(results_of({inputs("large"), "--op=prod"})[0], {0, 0x1p100});
  const ProgramEnd report = reduce({inputs("small")});
  CHECK(report.out.find("  sum        (-1, 12) (complex128)\n") != std::string::npos);
  CHECK(report.out.find("  complex64 (3,)  24 B  ") != std::string::npos);
}

TEST_CASE("tessera-reduce: infinite, NaN and zero complex elements") {
  const ComplexInputs inputs;
  const std::string ops = "--op=count,count_nan,count_inf,count_zero,any,all,sum,mean,l1,l2";
  const auto values = [](const nlohmann::json& results) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& entry : results) list.push_back(entry["value"]);
    return list;
  };
  // By part: real ones have a NaN and an infinity, imaginary ones a NaN and another infinity.
  CHECK(values(results_of({inputs("zodd"), ops})) ==
        nlohmann::json::parse(R"([6, 2, 2, 1, true, false, ["nan", "nan"], ["nan", "nan"], "nan", "nan"])"));
  CHECK(values(results_of({inputs("zodd[:3]"), "--op=sum,l1,prod"})) ==
        nlohmann::json::parse(R"([["inf", "nan"], "nan", ["nan", "nan"]])"));
  CHECK(values(results_of({inputs("zodd"), ops, "--nan=omit"})) ==
        nlohmann::json::parse(R"([4, 2, 2, 1, true, false, ["inf", 3.0], ["inf", 0.75], "inf", "inf"])"));
  CHECK(values(results_of({inputs("zodd[::2]"), "--op=sum,prod,count", "--nan=omit"})) ==
        nlohmann::json::parse("[[3.0, 1.0], [0.0, 0.0], 2]"));
  CHECK(values(results_of({inputs("zodd[4:]"), "--op=any,all", "--nan=error"})) ==
        nlohmann::json::parse("[true, false]"));
  CHECK(refused({inputs("zodd[1:]"), "--op=sum,l2", "--nan=error"}).find("element 2 is NaN") != std::string::npos);
  CHECK(refused({inputs("zodd[:1]"), "--op=mean", "--nan=omit"}) ==
        inputs("zodd[:1]") + ": mean needs at least one element; without the NaN there are none");

  const auto none = values(results_of({inputs("znone")}));
  CHECK(none == nlohmann::json::parse("[0, 0, 0, [0.0, 0.0], null, 0.0, 0.0]"));
  CHECK(values(results_of({inputs("znone"), "--op=prod,any,all"})) ==
        nlohmann::json::parse("[[1.0, 0.0], false, true]"));
  CHECK(results_of({inputs("znone"), "--op=sum", "--axis=0"})[0]["value"] ==
        nlohmann::json::parse("[[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]]"));
  CHECK(refused({inputs("znone"), "--op=mean"}) ==
        inputs("znone") + ": mean needs at least one element; of shape (0, 3) there is none to reduce");
}

TEST_CASE("tessera-reduce: complex arrays along axes, and what is written") {
  const ComplexInputs inputs;
  const auto check_axis = [&](const std::string& name, const auto& values) {
    using T = std::decay_t<decltype(values[0])>;
    using Real = typename T::value_type;
    const auto results =
        results_of({inputs(name), "--op=sum,mean,l1,count", "--axis=1", "--output", inputs.out + ":/" + name});
    REQUIRE(results[0]["shape"] == std::vector<int>{15, 11});
    CHECK(results[0]["type"] == "complex128");
    const std::string type = sizeof(Real) == 4 ? "64" : "128";
    CHECK(stored(inputs.out + ":/" + name + "/sum") == "complex" + type + " (15, 11)");
    CHECK(stored(inputs.out + ":/" + name + "/l1") == (sizeof(Real) == 4 ? "float32 (15, 11)" : "float64 (15, 11)"));
    const auto sums = read_complex<Real>(inputs.out + ":/" + name + "/sum");
    const auto alone = results_of({inputs(name), "--op=sum", "--axis=1"})[0];  // by kernels of its own
    CHECK(alone == results[0]);
    for (std::size_t i = 0; i < 15; ++i) {
      for (std::size_t k = 0; k < 11; ++k) {
        std::vector<T> line;
        for (std::size_t j = 0; j < 7; ++j) line.push_back(values[(i * 7 + j) * 11 + k]);
        const Expected<Real> expected(line);
        INFO(name << ' ' << i << ' ' << k);
        const Complex sum = expected.sum(), mean = expected.mean();
        CHECK(results[0]["value"][i][k] == std::vector<double>{sum.real(), sum.imag()});
        CHECK(results[0]["bits"][i][k] == std::vector<std::string>{bits_of(sum.real()), bits_of(sum.imag())});
        CHECK(results[1]["value"][i][k] == std::vector<double>{mean.real(), mean.imag()});
        CHECK(results[2]["value"][i][k] == expected.l1());
        CHECK(results[3]["value"][i][k] == 7);
        const T once(ExactSums(expected.re).template sum<Real>(), ExactSums(expected.im).template sum<Real>());
        CHECK(sums[i * 11 + k] == once);
      }
    }
  };
  check_axis("big", inputs.z);
  check_axis("c", inputs.c);
  // 1 + 2^-24 + 2^-60: half way between two float32 once it is a float64.
  REQUIRE(reduce({inputs("tie"), "--op=sum,prod", "--axis=0", "--output", inputs.out + ":/tie"}).status == 0);
  CHECK(read_complex<float>(inputs.out + ":/tie/sum") ==
        std::vector<std::complex<float>>{{1 + 0x1p-23F, -1 - 0x1p-23F}});
  REQUIRE(reduce({inputs("tie"), "--keepdims", "--op=sum", "--output", inputs.out + ":/kept"}).status == 0);
  CHECK(stored(inputs.out + ":/kept") == "complex64 (1,)");

  REQUIRE(reduce({inputs("small"), "--output", inputs.out + ":/all"}).status == 0);
  CHECK(stored(inputs.out + ":/all/sum") == "complex128 ()");
  CHECK(stored(inputs.out + ":/all/l2") == "float64 ()");
  CHECK(stored(inputs.out + ":/all/count") == "uint64 ()");
  CHECK(read_complex<double>(inputs.out + ":/all/sum") == std::vector<Complex>{{-1, 12}});
  REQUIRE(reduce({inputs("tie"), "--op=sum", "--output-type=float32", "--output", inputs.out + ":/f"}).status == 0);
  CHECK(read_complex<float>(inputs.out + ":/f") == std::vector<std::complex<float>>{{1 + 0x1p-23F, -1 - 0x1p-23F}});
  const auto product = results_of({inputs("small"), "--op=prod", "--axis=0"})[0];
  CHECK(product["value"] == nlohmann::json::parse("[-35.0, -80.0]"));
}

TEST_CASE("tessera-reduce: dot of complex arrays does not conjugate") {
  const ComplexInputs inputs;
  const auto dot = [&](const std::string& a, const std::string& b) {
    return results_of({inputs(a), "--op=dot", "--with", inputs(b)})[0];
  };
  check_complex(dot("small", "small"), {-3 - 7 - 11, 4 + 24 - 60});
  check_complex(dot("small", "tie"), {3 + 7 * 0x1p-24 + 0x1p-60, 1 + 0x1p-24 + 11 * 0x1p-60});  // complex64, in float64
  check_complex(dot("small[:1]", "zodd[2:3]"), {1, 7});  // the one converted to complex128
  const auto along = results_of({inputs("small"), "--op=dot", "--with", inputs("tie"), "--axis=0", "--keepdims"})[0];
  CHECK(along["shape"] == std::vector<int>{1});
  CHECK(along["bits"][0] == dot("small", "tie")["bits"]);
  CHECK(dot("zodd[:2]", "small[:2]")["value"] == nlohmann::json::parse(R"(["nan", "nan"])"));
  CHECK(results_of({inputs("zodd[:3]"), "--op=dot", "--nan=omit", "--with", inputs("zodd[2:5]")})[0]["value"] ==
        nlohmann::json::parse(R"([0.0, 0.0])"));
  CHECK(refused({inputs("small"), "--op=dot", "--with", inputs("f")}) ==
        "--with " + inputs("f") + ": holds float32, " + inputs("small") +
            " holds complex64; dot takes two real or two complex arrays");
  CHECK(refused({inputs("f"), "--op=dot", "--with", inputs("small")})
            .ends_with(" holds float32; dot takes two real or two complex arrays"));
}

TEST_CASE("tessera-reduce: every operation of complex elements verifies") {
  const ComplexInputs inputs;
  const std::string list = "sum,prod,count,count_nan,count_inf,count_zero,mean,l1,l2,any,all";
  for (const auto& space : built_in_spaces()) {
    if (space == "cuda") continue;  // there may be no GPU where this runs; the GPU's own tests have the kernels
    for (const auto* name : {"z", "c", "zodd", "small", "large"}) {
      for (const auto* axis : {"all", "0"}) {
        INFO(space << ' ' << name << ' ' << axis);
        const auto record = record_of(reduce(
            {inputs(name), "--op", list, "--axis", axis, "--verify=full", "--json=-", "--quiet", "--space", space}));
        CHECK(record["runs"].size() == 2);
        for (const auto& run : record["runs"]) CHECK(run["verification"]["passed"] == true);
      }
      for (const auto* axis : {"all", "0"}) {
        const auto dot = record_of(reduce({inputs(name), "--op=dot", "--with", inputs(name), "--axis", axis,
                                           "--verify=full", "--json=-", "--quiet", "--space", space}));
        CHECK(dot["runs"][0]["verification"]["passed"] == true);
      }
    }
  }
}

TEST_CASE("tessera-reduce: what complex elements do not have is refused") {
  const ComplexInputs inputs;
  const std::string rest =
      "; of these there are sum, prod, count, count_nan, count_inf, count_zero, mean, l1, l2, any, all, dot, stats";
  for (const auto* op : {"min", "max", "minmax", "argmin", "argmax_last", "var", "std", "linf", "bit_and"}) {
    CHECK(refused({inputs("z"), "--op", op}) ==
          inputs("z") + ": --op: " + op + " takes real numbers, the elements are complex128" + rest);
  }
  CHECK(refused({inputs("small"), "--op=sum,min", "--axis=0"}) ==
        inputs("small") + ": --op: min takes real numbers, the elements are complex64" + rest);
  CHECK(refused({inputs("z"), "--op=sum", "--output-type=int32"}) ==
        inputs("z") + ": --output-type: int32 holds no complex sum; give float32 or float64 for its parts");
  CHECK(reduce({inputs("z"), "--op=count_nan", "--output-type=int32"}).status == 0);
  CHECK(refused({inputs("z"), "--op=sum", "--variant=two_stage"}) ==
        inputs("z") + ": --variant: two_stage cannot do sum; there are single_pass");
  const std::string huge = inputs.folder / "huge.h5";
  {
    const Handle in = create_file(huge), type = complex_type(H5T_NATIVE_DOUBLE);
    add_dataset(in.get(), "z", type.get(), {std::uint64_t{1} << 41}, type.get(), nullptr, chunked_list({1024}).get());
  }
  CHECK(refused({huge}, 3).starts_with(huge + ":/z: needs 35.18 TB of host memory, "));
  const ProgramEnd list = run_program(program, {inputs.file, "--list"});
  CHECK(list.out.find("/small  complex64  (3,)  contiguous\n") != std::string::npos);
  CHECK(list.out.find("/big  complex128 big-endian  (15, 7, 11)  chunked, deflate\n") != std::string::npos);
}

}  // namespace tessera::apps::test
