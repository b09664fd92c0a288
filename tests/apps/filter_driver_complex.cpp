// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Complex datasets through tessera-filter: against the reference part by part, against the same filter of the parts as
// datasets of their own, and against values worked out by hand.
#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>
#include <cmath>
#include <limits>

#include "apps/driver_support.hpp"
#include "device/session.hpp"
#include "reference/filter_reference.hpp"
#include "support/limits.hpp"

namespace tessera::apps::test {
namespace {

using reference::Edge;
using tessera::test::infinity;
using tessera::test::nan;
using Arguments = std::vector<std::string>;
template <class Real>
using Elements = std::vector<std::complex<Real>>;
using ComplexDoubles = Elements<double>;

const std::vector<long double> five{0.5L, -0.25L, 1, 0.125L, 0.375L};

struct Line {
  std::size_t begin, step;
};

/// Lines of an array along one of its axes, in the order of their first elements.
struct Lines {
  std::size_t extent, inner, outer;

  Lines(const Shape& shape, std::size_t axis) : extent(shape[axis]), inner(1), outer(1) {
    for (std::size_t d = 0; d < axis; ++d) outer *= shape[d];
    for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  }
  [[nodiscard]] std::vector<Line> all(std::size_t elements) const {
    std::vector<Line> lines;
    for (std::size_t slab = 0; slab < outer; ++slab) {
      for (std::size_t i = 0; i < inner; ++i) lines.push_back({slab * elements * inner + i, inner});
    }
    return lines;
  }
};

template <class Real>
std::vector<Real> part_of(const Elements<Real>& values, int part) {
  std::vector<Real> parts;
  for (const auto& value : values) parts.push_back(part == 0 ? value.real() : value.imag());
  return parts;
}

/// Equal, NaN to NaN, in both parts of each.
template <class Real>
void check_same(const Elements<Real>& got, const Elements<Real>& expected) {
  REQUIRE(got.size() == expected.size());
  for (const int part : {0, 1}) {
    const auto a = part_of(got, part), b = part_of(expected, part);
    for (std::size_t i = 0; i < a.size(); ++i) {
      INFO("part " << part << " of element " << i << ": " << a[i] << ", expected " << b[i]);
      CHECK((a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))));
    }
  }
}

const Shape block{3, 11, 7};

struct ComplexInputs {
  Folder folder;
  std::string file = folder / "in.h5", out = folder / "out.h5";
  ComplexDoubles z;
  Elements<float> c;
  // (1,10) (NaN,20) (3,30) (4,NaN) (5,50)
  ComplexDoubles gaps{{1, 10}, {nan, 20}, {3, 30}, {4, nan}, {5, 50}};

  ComplexInputs() {
    for (std::size_t k = 0; k < element_count(block); ++k) {
      const auto x = static_cast<double>(k);
      z.emplace_back(std::sin(x * x) * 3 + static_cast<double>(k % 7), std::cos(x * x * 0.5) * 40 - x);
      c.emplace_back(z.back());
    }
    const Handle in = create_file(file), chunks = chunked_list({2, 3, 5});
    add_complex(in.get(), "z", z, block);
    add_complex(in.get(), "c", c, block);
    add_values(in.get(), "z_re", part_of(z, 0), block);
    add_values(in.get(), "z_im", part_of(z, 1), block);
    REQUIRE(H5Pset_deflate(chunks.get(), 1) >= 0);
    add_dataset(in.get(), "big", complex_type(H5T_IEEE_F64BE, "re", "im").get(), block,
                complex_type(H5T_NATIVE_DOUBLE, "re", "im").get(), z.data(), chunks.get());
    add_dataset(in.get(), "named", complex_type(H5T_IEEE_F32BE, "real", "imag").get(), block,
                complex_type(H5T_NATIVE_FLOAT, "real", "imag").get(), c.data());
    add_complex(in.get(), "gaps", gaps);
    add_complex<double>(in.get(), "first", {{nan, 1}, {2, 20}, {3, 30}});
    add_complex<double>(in.get(), "crossed", {{1, nan}, {nan, 2}});
    add_complex<double>(in.get(), "infinite", {{1, 1}, {infinity, 2}, {3, -infinity}, {4, 4}, {5, 5}, {6, 6}});
    add_complex<float>(in.get(), "one", {{3, -4}}, {1, 1});
    add_complex<float>(in.get(), "none", {}, {3, 0});
    add_complex<float>(in.get(), "thirds", {{1, 2}, {4, 8}});
    add_complex<double>(in.get(), "large", {{1 + 0x1p-24 + 0x1p-50, 1e39}});
  }

  [[nodiscard]] ProgramEnd filter(const std::string& name, Arguments arguments) const {
    arguments.insert(arguments.begin(), file + ":/" + name);
    arguments.insert(arguments.end(), {"--verify=full"});
    return run_quickly(TESSERA_FILTER, arguments);
  }
  void store(const std::string& name, Arguments arguments, const std::string& result) const {
    arguments.insert(arguments.end(), {"--output", out + ":/" + result, "--force", "--quiet"});
    const ProgramEnd end = filter(name, arguments);
    INFO(end.err);
    REQUIRE(end.status == 0);
  }
  template <class Real = double>
  [[nodiscard]] Elements<Real> filtered(const std::string& name, const Arguments& arguments) const {
    store(name, arguments, "r");
    return read_complex<Real>(out + ":/r");
  }
  [[nodiscard]] std::string refused(const std::string& name, const Arguments& arguments) const {
    return refusal_line(filter(name, arguments), 2, "tessera-filter");
  }
  [[nodiscard]] nlohmann::json record(const std::string& name, Arguments arguments) const {
    arguments.insert(arguments.end(), {"--json=-", "--quiet"});
    return record_of(filter(name, arguments));
  }
  template <class Real>
  [[nodiscard]] const Elements<Real>& values() const {
    if constexpr (std::is_same_v<Real, float>) {
      return c;
    } else {
      return z;
    }
  }

  /// The filter with those five weights, of every line, against the reference; name: c or z, or what holds the same.
  template <class Real>
  void check(const std::string& name, std::size_t axis, reference::LinearFilter<long double> filter,
             Arguments arguments) const {
    arguments.insert(arguments.end(), {"--weights=0.5,-0.25,1,0.125,0.375", "--axis=" + std::to_string(axis)});
    const Elements<Real> got = filtered<Real>(name, arguments);
    const Lines lines(block, axis);
    const std::size_t outputs = got.size() / (lines.outer * lines.inner);
    const auto ins = lines.all(lines.extent), outs = lines.all(outputs);
    const long double cval = filter.cval;
    for (const int part : {0, 1}) {
      const auto from = part_of(values<Real>(), part), to = part_of(got, part);
      filter.cval = part == 0 ? cval : 0;
      for (std::size_t l = 0; l < ins.size(); ++l) {
        std::vector<Real> line;
        for (std::size_t i = 0; i < lines.extent; ++i) line.push_back(from[ins[l].begin + i * ins[l].step]);
        const auto expected = reference::filter_line(line, filter);
        REQUIRE(expected.size() == outputs);
        for (std::size_t i = 0; i < outputs; ++i) {
          INFO(name << " axis " << axis << ' ' << arguments[0] << ", part " << part << " of output " << i << " of line "
                    << l);
          const Real value = to[outs[l].begin + i * outs[l].step];
          CHECK(std::abs(value - expected[i].value) <= reference::linear_filter_bound<Real, Real>(expected[i], 5));
        }
      }
    }
  }
};

constexpr std::array edges{std::pair{"reflect", Edge::reflect},
                           std::pair{"mirror", Edge::mirror},
                           std::pair{"nearest", Edge::nearest},
                           std::pair{"wrap", Edge::wrap},
                           std::pair{"constant", Edge::constant},
                           std::pair{"odd", Edge::odd},
                           std::pair{"renormalise", Edge::renormalise},
                           std::pair{"valid", Edge::valid},
                           std::pair{"keep", Edge::keep}};

}  // namespace

TEMPLATE_TEST_CASE("tessera-filter: complex arrays, part by part, under every mode and along every axis", "", float,
                   double) {
  const ComplexInputs inputs;
  const std::string name = sizeof(TestType) == 4 ? "c" : "z", other = sizeof(TestType) == 4 ? "named" : "big";
  for (const auto& [mode, edge] : edges) {
    for (const std::size_t axis : {0, 1, 2}) {
      inputs.check<TestType>(name, axis, {.weights = five, .left = edge, .right = edge, .cval = -2.5L},
                             {std::string("--mode=") + mode, "--cval=-2.5"});
    }
  }
  inputs.check<TestType>(other, 1,
                         {.weights = five, .left = Edge::wrap, .right = Edge::constant, .cval = 100, .origin = 1},
                         {"--mode-left=wrap", "--mode-right=constant", "--cval=100", "--origin=1"});
  inputs.check<TestType>(other, 2,
                         {.weights = five, .left = Edge::keep, .right = Edge::valid, .origin = -2, .convolve = true},
                         {"--mode-left=keep", "--mode-right=valid", "--origin=-2", "--convolve"});
  inputs.check<TestType>(name, 1, {.weights = five, .left = Edge::keep, .right = Edge::constant, .cval = 3},
                         {"--mode-left=keep", "--mode-right=constant", "--cval=3"});
  inputs.check<TestType>(name, 2, {.weights = five, .left = Edge::valid, .right = Edge::keep, .omit_nan = true},
                         {"--mode-left=valid", "--mode-right=keep", "--nan=omit"});
  inputs.check<TestType>(name, 0, {.weights = five, .left = Edge::odd, .right = Edge::odd},
                         {"--mode=odd", "--nan=error"});
  CHECK(stored(inputs.out + ":/r") == (sizeof(TestType) == 4 ? "complex64 (3, 11, 7)" : "complex128 (3, 11, 7)"));
}

TEST_CASE("tessera-filter: complex arrays are what their parts are as arrays of their own") {
  const ComplexInputs inputs;
  const auto check = [&](const Arguments& arguments) {
    const ComplexDoubles got = inputs.filtered("z", arguments);
    for (const int part : {0, 1}) {
      Arguments of_part = arguments;
      if (part == 1) of_part.emplace_back("--cval=0");  // the last one given counts
      inputs.store(part == 0 ? "z_re" : "z_im", of_part, "part");
      const auto expected = read_values<double>(inputs.out + ":/part"), parts = part_of(got, part);
      REQUIRE(parts.size() == expected.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        INFO(arguments[0] << ", part " << part << " of " << i);
        CHECK(std::abs(parts[i] - expected[i]) <= 1e-12 * 300);
      }
    }
  };
  for (const std::string axis : {"--axis=0", "--axis=1", "--axis=-1"}) {
    check({"--gaussian=1.5", "--order=1", axis});
    check({"--binomial=4", axis, "--mode=wrap"});
    check({"--savgol=5,2,1,0.5", axis, "--mode=mirror"});
    check({"--box=4", axis, "--mode=nearest", "--origin=1"});
    check({"--box=3", axis, "--mode=keep", "--nan=error"});
    check({"--weights=1,2,3", axis, "--iterate=4", "--mode=reflect"});
    check({"--box=13", axis, "--nan=omit"});
  }
  check({"--box=5", "--mode=constant"});
}

TEST_CASE("tessera-filter: cval is a real number beyond complex lines") {
  const ComplexInputs inputs;
  const Arguments sum{"--weights=1,1,1", "--mode=constant", "--cval=100"};
  check_same(inputs.filtered<float>("thirds", sum), {{105, 10}, {105, 10}});
  check_same(inputs.filtered<float>("one", {"--weights=1,1,1", "--mode=constant", "--cval=100", "--axis=0"}),
             {{203, -4}});
  check_same(inputs.filtered<float>("thirds", {"--box=2", "--mode=constant", "--cval=-9"}), {{-4, 1}, {2.5, 5}});
  check_same(inputs.filtered<float>("thirds", {"--weights=1,1,1", "--mode=constant", "--cval=100", "--iterate=2"}),
             {{310, 20}, {310, 20}});
  // A NaN reaches the part it is; to a policy it is the whole element.
  check_same(inputs.filtered<float>("thirds", {"--weights=1,1,1", "--mode=constant", "--cval=nan"}),
             {{std::nanf(""), 10}, {std::nanf(""), 10}});
  check_same(inputs.filtered<float>("thirds", {"--weights=1,1,1", "--mode=constant", "--cval=nan", "--nan=omit"}),
             {{7.5, 15}, {7.5, 15}});
  CHECK(inputs.refused("thirds", {"--weights=1,1,1", "--mode=constant", "--cval=nan", "--nan=error"})
            .find("a NaN cval under NaN policy error") != std::string::npos);
}

TEST_CASE("tessera-filter: NaN and infinities in a part of complex elements") {
  const ComplexInputs inputs;
  const Arguments sum{"--weights=1,1,1", "--mode=nearest"};
  const auto with = [](Arguments arguments, const std::string& more) {
    arguments.push_back(more);
    return arguments;
  };
  check_same(inputs.filtered("gaps", sum), {{nan, 40}, {nan, 60}, {nan, nan}, {12, nan}, {14, nan}});
  check_same(inputs.filtered("gaps", {"--box=1"}), inputs.gaps);
  // Without those that are NaN in a part: sums of what is left, scaled; and their means.
  check_same(inputs.filtered("gaps", with(sum, "--nan=omit")), {{3, 30}, {6, 60}, {9, 90}, {12, 120}, {15, 150}});
  check_same(inputs.filtered("gaps", {"--box=3", "--mode=nearest", "--nan=omit"}),
             {{1, 10}, {2, 20}, {3, 30}, {4, 40}, {5, 50}});
  check_same(inputs.filtered("gaps", {"--box=1", "--nan=omit"}), {{1, 10}, {nan, nan}, {3, 30}, {nan, nan}, {5, 50}});
  // A copy is a copy.
  check_same(inputs.filtered("first", {"--weights=1,1,1", "--mode=keep", "--nan=omit"}),
             {{nan, 1}, {7.5, 75}, {3, 30}});
  check_same(inputs.filtered("gaps[1:4]", {"--weights=1,1,1", "--mode=keep", "--nan=omit"}),
             {{nan, 20}, {9, 90}, {4, nan}});
  check_same(inputs.filtered("gaps[1:4]", {"--weights=1,1,1", "--mode-left=valid", "--mode-right=keep", "--nan=omit"}),
             {{9, 90}, {4, nan}});
  check_same(inputs.filtered("first", {"--box=3", "--mode=keep", "--nan=omit"}), {{nan, 1}, {2.5, 25}, {3, 30}});

  const std::string found = "element 1 is NaN";
  CHECK(inputs.refused("gaps", with(sum, "--nan=error")).find(found) != std::string::npos);
  CHECK(inputs.refused("gaps[2:]", with(sum, "--nan=error")).find(found) != std::string::npos);  // an imaginary part
  CHECK(inputs.refused("gaps", {"--box=2", "--nan=error"}).find(found) != std::string::npos);
  CHECK(inputs.refused("crossed", with(sum, "--nan=error")).find("element 0 is NaN") != std::string::npos);
  check_same(inputs.filtered("gaps[:1]", with(sum, "--nan=error")), {{3, 30}});

  check_same(inputs.filtered("infinite", sum),
             {{infinity, 4}, {infinity, -infinity}, {infinity, -infinity}, {12, -infinity}, {15, 15}, {17, 17}});
  // Differences of infinities are NaN in one part: the next application leaves the element out.
  const Arguments differences{"--weights=1,-1,2", "--mode=wrap", "--nan=omit"};
  inputs.store("infinite", differences, "step");
  for (const std::string step : {"2", "3"}) {
    const std::string before = inputs.out + ":/step";
    Arguments once = differences, at_once = differences;
    at_once.insert(at_once.end(), {"--iterate", step});
    once.insert(once.begin(), before);
    once.insert(once.end(), {"--output", before, "--force", "--quiet", "--verify=full"});
    REQUIRE(run_quickly(TESSERA_FILTER, once).status == 0);
    check_same(inputs.filtered("infinite", at_once), read_complex<double>(before));
  }
}

TEST_CASE("tessera-filter: what types of complex elements are written") {
  const ComplexInputs inputs;
  const auto run = [&](const std::string& name, const Arguments& arguments) {
    inputs.store(name, arguments, "r");
    return stored(inputs.out + ":/r");
  };
  const float third = 1 / 3.0F;
  CHECK(run("thirds", {"--weights=0.3333333333333333"}) == "complex64 (2,)");
  check_same(read_complex<float>(inputs.out + ":/r"), {{third, 2 * third}, {4 * third, 8 * third}});
  CHECK(run("thirds", {"--weights=0.3333333333333333", "--output-type=float64"}) == "complex128 (2,)");
  check_same(read_complex<double>(inputs.out + ":/r"), {{third, 2 * third}, {4 * third, 8 * third}});
  CHECK(run("thirds", {"--weights=0.3333333333333333", "--output-type=float64", "--accumulate=double"}) ==
        "complex128 (2,)");
  const double exact = 0.3333333333333333;
  check_same(read_complex<double>(inputs.out + ":/r"), {{exact, 2 * exact}, {4 * exact, 8 * exact}});
  // Elements as a whole, in double: the same, but for what lies beyond.
  CHECK(run("thirds", {"--weights=0.5,0.3333333333333333", "--output-type=float64", "--accumulate=double",
                       "--mode-left=keep", "--mode-right=constant", "--cval=1"}) == "complex128 (2,)");
  check_same(read_complex<double>(inputs.out + ":/r"), {{1, 2}, {0.5 + exact * 4, 1 + exact * 8}});
  CHECK(run("thirds", {"--weights=0.5", "--accumulate=float"}) == "complex64 (2,)");
  CHECK(run("large", {"--weights=1", "--output-type=float32"}) == "complex64 (1,)");
  check_same(read_complex<float>(inputs.out + ":/r"), {{1 + 0x1p-23F, HUGE_VALF}});
  CHECK(run("one", {"--weights=1,2,3", "--axis=0"}) == "complex64 (1, 1)");
  check_same(read_complex<float>(inputs.out + ":/r"), {{18, -24}});
  CHECK(run("none", {"--weights=1,2"}) == "complex64 (3, 0)");
  CHECK(run("none", {"--box=2", "--axis=0", "--nan=omit"}) == "complex64 (3, 0)");
  const Dataset written(inputs.out + ":/r");
  const Handle file(H5Fopen(inputs.out.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Handle dataset(H5Dopen2(file.get(), "r", H5P_DEFAULT), H5Dclose), type(H5Dget_type(dataset.get()), H5Tclose);
  CHECK(H5Tequal(type.get(), complex_type(H5T_NATIVE_FLOAT, "r", "i").get()) > 0);
}

TEST_CASE("tessera-filter: an output of complex elements is overwritten only by force") {
  const ComplexInputs inputs;
  inputs.store("z", {"--weights=1"}, "r");
  const std::string before = bytes_of_file(inputs.out);
  CHECK(inputs.refused("c", {"--weights=2", "--output", inputs.out + ":/r"}).find("--force") != std::string::npos);
  CHECK(bytes_of_file(inputs.out) == before);
  check_same(read_complex<double>(inputs.out + ":/r"), inputs.z);
  inputs.store("c", {"--weights=1"}, "r");
  check_same(read_complex<float>(inputs.out + ":/r"), inputs.c);
}

TEST_CASE("tessera-filter: records and variants of complex elements") {
  const ComplexInputs inputs;
  const auto record = inputs.record("big", {"--weights=1,2,1", "--iterate=2", "--variant=overlapping"});
  const std::uint64_t bytes = 16 * inputs.z.size();
  CHECK(record["input"]["dtype"] == "complex128 big-endian");
  CHECK(record["input"]["bytes"] == bytes);
  CHECK(record["runs"][0]["bytes"] == 4 * bytes);
  CHECK(record["runs"][0]["variant"] == "overlapping");
  CHECK(record["runs"][0]["verification"]["passed"] == true);
  CHECK(inputs.record("c", {"--box=3"})["input"]["dtype"] == "complex64");
  for (const auto& space : built_in_spaces()) {
    if (space == "cuda") continue;  // there may be no GPU where this runs
    for (const Arguments& arguments :
         {Arguments{"--weights=1,2,1"}, Arguments{"--weights=1,2,1", "--axis=0", "--nan=omit"},
          Arguments{"--gaussian=3", "--mode=constant", "--cval=4"}, Arguments{"--gaussian=30", "--nan=error"},
          Arguments{"--box=9"}}) {
      Arguments all = arguments;
      all.insert(all.end(), {"--variant=all", "--space", space});
      INFO(space << ' ' << arguments[0]);
      const auto runs = inputs.record("c", all)["runs"];
      CHECK(runs.size() >= (arguments[0] == "--box=9" || arguments.back() == "--nan=omit" ? 1 : 3));
      for (const auto& run : runs) CHECK(run["verification"]["passed"] == true);
    }
  }
  const ProgramEnd report = inputs.filter("c", {"--weights=1"});
  CHECK(report.out.find("  complex64 (3, 11, 7)  1.85 kB  ") != std::string::npos);
#ifdef TESSERA_TESTS_HAVE_FFTW
  for (const std::string beyond : {"--mode=reflect", "--mode=constant"}) {
    const auto wide = inputs.record("z", {"--gaussian=9", "--axis=1", "--variant=transform", beyond, "--cval=7"});
    CHECK(wide["runs"][0]["variant"] == "transform");
    CHECK(wide["runs"][0]["verification"]["passed"] == true);
  }
#endif
}

TEST_CASE("tessera-filter: what complex elements do not have is refused") {
  const ComplexInputs inputs;
  const std::string z = inputs.file + ":/z: ", c = inputs.file + ":/c: ";
  for (const std::string name : {"min", "max", "median"}) {
    CHECK(inputs.refused("z", {"--" + name + "=3"}) ==
          z + "--" + name + ": complex128 elements have no order; filter them with weights or --box");
  }
  CHECK(inputs.refused("c", {"--min=3"}) ==
        c + "--min: complex64 elements have no order; filter them with weights or --box");
  for (const std::string type : {"int32", "uint64"}) {
    CHECK(inputs.refused("c", {"--weights=1", "--output-type", type, "--output", inputs.out + ":/r"}) ==
          c + "--output-type: " + type + " holds no complex64 elements; give float32 or float64 for their parts");
  }
  CHECK(inputs.refused("c", {"--weights=1", "--output-type=float64", "--iterate=2"}) ==
        c + "--output-type: with --iterate every application stores its own type, float32");
  CHECK(inputs.refused("z", {"--box=3", "--plot", inputs.folder / "p.svg"}) ==
        z + "--plot: it draws real numbers, the elements are complex128; leave it out");
  CHECK(inputs.refused("z", {"--weights-from", inputs.file + ":/thirds"}) ==
        "--weights-from " + inputs.file + ":/thirds: holds complex64; weights are real numbers");
  CHECK(inputs.refused("z", {"--weights=1+2i"}) == "--weights: weight 0, `1+2i`, is not a number");
  CHECK(inputs.refused("c", {"--weights=1", "--mode=constant", "--cval=1e39"}) ==
        c + "--cval: `1e39` is not a number that complex64, the input's type, can hold");
  CHECK(inputs.refused("z", {"--weights=1", "--mode=constant", "--cval=1+2i"}) ==
        z + "--cval: `1+2i` is not a number that complex128, the input's type, can hold");
  CHECK(inputs.refused("z", {"--weights=1", "--accumulate=float"}) ==
        z + "--accumulate: float is for float32 data, this is complex128");
  CHECK(inputs.refused("c", {"--weights=1", "--axis=3"}) ==
        c + "--axis: 3 is not within -3 to 2, the axes of (3, 11, 7)");
  CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5"});
}

TEST_CASE("tessera-filter: a wrong part of a complex result is found and not written") {
  const ComplexInputs inputs;
  for (const Arguments& more : {Arguments{}, Arguments{"--nan=omit"}}) {
    Arguments arguments{inputs.file + ":/z", "--weights=1", "--quiet", "--output", inputs.out + ":/r"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramEnd end = run_quickly(TESSERA_FAULTY_FILTER, arguments);
    CHECK(end.status == 1);
    CHECK(end.err.find("did not verify: index (2, 10, 6): got ") != std::string::npos);
    CHECK(end.err.find("; 1 of 462 checked are wrong; the output was not written\n") != std::string::npos);
    CHECK(inputs.folder.names() == std::vector<std::string>{"in.h5"});
  }
}

}  // namespace tessera::apps::test
