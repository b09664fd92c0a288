// SPDX-FileCopyrightText: The Tessera authors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver refuses, and in which words.
#include "apps/reduce_driver_support.hpp"

namespace tessera::apps::test {

TEST_CASE("tessera-reduce: options that cannot be") {
  const Inputs inputs;
  const std::string x = inputs("x");
  CHECK(refused({x, "--op=median"})
            .starts_with("--op: unknown name `median`; did you mean `mean`? The names are sum, prod, "));
  CHECK(refused({x, "--op=sum,max,sum"}) == "--op: `sum` is given twice");
  CHECK(refused({x, "--op=sum,"}).starts_with("--op: unknown name ``"));
  CHECK(refused({x, "--summation=exat"}) ==
        "--summation: unknown name `exat`; did you mean `exact`? The names are exact, fast");
  CHECK(refused({x, "--nan=skip"}) ==
        "--nan: unknown name `skip`; did you mean `omit`? The names are propagate, omit, error");
  CHECK(refused({x, "--ddof=-1"}) == "--ddof: `-1` is not a whole number of at least 0");
  CHECK(refused({x, "--ddof=1.5"}) == "--ddof: `1.5` is not a whole number of at least 0");
  CHECK(refused({x, "--output-type=float16"})
            .starts_with("--output-type: unknown name `float16`; did you mean `float32`? The names are int8, int16, "));
  CHECK(refused({x, "--op=dot"}) == "--op: dot needs a second array; give it as --with INPUT2");
  CHECK(refused({x, "--op=sum", "--with", x}) == "--with: only dot takes a second array, and --op does not name it");
  CHECK(refused({x, "--keepdims=1"}) == "--keepdims takes no value, got `1`");
}

TEST_CASE("tessera-reduce: axes that cannot be") {
  const Inputs inputs;
  const std::string x = inputs("x");
  const auto axis = [&](const std::string& list) { return refused({x, "--axis", list}); };
  CHECK(axis("2") == x + ": --axis: 2 is not within -2 to 1, the axes of (50, 100)");
  CHECK(axis("-3,0") == x + ": --axis: -3 is not within -2 to 1, the axes of (50, 100)");
  CHECK(axis("0,-2") == x + ": --axis: axis 0 of (50, 100) is given twice");
  CHECK(axis("0,") == x + ": --axis: `` is not a whole number; give axes as 0,-1 or all");
  CHECK(axis("first") == x + ": --axis: `first` is not a whole number; give axes as 0,-1 or all");
  CHECK(refused({x + "[1,1]", "--axis=0"}) == x + "[1,1]: --axis: 0 is out of range: a single value has no axes");
}

TEST_CASE("tessera-reduce: too few elements") {
  const Inputs inputs;
  for (const auto* op : {"min", "max", "minmax", "argmin", "argmax", "argmin_last", "argmax_last", "mean"}) {
    CHECK(refused({inputs("none"), "--op", op}) ==
          inputs("none") + ": " + op + " needs at least one element; of shape (0,) there is none to reduce");
  }
  CHECK(refused({inputs("none"), "--op=std"}) ==
        inputs("none") + ": std needs more elements than --ddof 0; there are 0 to reduce");
  CHECK(refused({inputs("f"), "--op=sum,var", "--ddof=3"}) ==
        inputs("f") + ": var needs more elements than --ddof 3; there are 3 to reduce");
  CHECK(refused({inputs("x[:0]"), "--op=max", "--axis=0"}) ==
        inputs("x[:0]") + ": max needs at least one element; of shape (0, 100) there is none to reduce");
}

TEST_CASE("tessera-reduce: NaN that are not wanted, or all there is") {
  const Inputs inputs;
  const std::string odd = refused({inputs("odd"), "--op=sum", "--nan=error"});
  CHECK(odd.starts_with(inputs("odd") + ": sum: tessera::reduce: argument `in`: element 1 is NaN; "));
  CHECK(refused({inputs("gaps"), "--nan=error"})
            .starts_with(inputs("gaps") + ": stats: tessera::reduce: argument `in`: element 0 is NaN"));
  CHECK(refused({inputs("gaps[:,1:]"), "--axis=0", "--nan=error"}).find("element 2 is NaN") != std::string::npos);
  CHECK(refused({inputs("x[:2,:3]"), "--op=dot", "--with", inputs("gaps"), "--axis=1", "--nan=error"})
            .find("element 0 is NaN") != std::string::npos);
  for (const auto* op : {"min", "mean", "argmax_last"}) {
    const std::string line = refused({inputs("gaps[1]"), "--op", op, "--nan=omit"});
    INFO(line);
    CHECK(line.starts_with(inputs("gaps[1]") + ": " + op));
    CHECK(line.find("NaN") != std::string::npos);
  }
  const std::string along = refused({inputs("gaps"), "--op=min,max", "--axis=1", "--nan=omit"});
  CHECK(along.starts_with(inputs("gaps") + ": min"));
}

TEST_CASE("tessera-reduce: integers that do not fit") {
  const Inputs inputs;
  const std::string line = refused({inputs("too_much"), "--op=sum"});
  CHECK(line.starts_with(inputs("too_much") +
                         ": sum: tessera::reduce: argument `in`: the exact integer result does not fit 64 bits"));
  CHECK(refused({inputs("too_much")}).find("does not fit 64 bits") != std::string::npos);
  CHECK(refused({inputs("i"), "--op=prod"}).starts_with(inputs("i") + ": prod: "));
  CHECK(refused({inputs("too_much"), "--op=max,sum"})
            .starts_with(inputs("too_much") + ": sum: the exact integer result does not fit 64 bits (output 0); "));
  CHECK(refused({inputs("low"), "--op=l1,sum", "--axis=1"})
            .starts_with(inputs("low") + ": sum: the exact integer result does not fit 64 bits (output 1); "));
}

TEST_CASE("tessera-reduce: a sum that does not fit fails no other operation") {
  const Inputs inputs;
  const auto all = results_of({inputs("too_much"), "--op=count,minmax,mean,argmax,count_zero,std,linf,any"});
  CHECK(all[0]["value"] == 2);
  CHECK(all[1]["value"] == std::vector<std::uint64_t>{1, 18446744073709551615U});
  CHECK(all[2]["value"] == 0x1p63);
  CHECK(all[3]["index"] == 0);
  CHECK(all[6]["value"] == 18446744073709551615U);
  CHECK(results_of({inputs("low"), "--op=l1", "--axis=1"})[0]["value"] ==
        std::vector<std::uint64_t>{3, 18446744073709551614U});
  CHECK(results_of({inputs("low"), "--op=min", "--axis=0"})[0]["value"] ==
        std::vector<std::int64_t>{-9223372036854775807, -1, -9223372036854775807});
}

TEST_CASE("tessera-reduce: a ddof beyond any array leaves var and std undefined") {
  const Inputs inputs;
  for (const char* ddof : {"9223372036854775807", "9223372036854775808", "18446744073709551615"}) {
    const auto stats = results_of({inputs("x"), "--ddof", ddof});
    for (const auto& result : stats) CHECK(result["value"].is_null() == (result["op"] == "var"));
  }
}

TEST_CASE("tessera-reduce: types and second arrays that do not go") {
  const Inputs inputs;
  CHECK(refused({inputs("f"), "--op=sum,bit_or"}) ==
        inputs("f") + ": --op: bit_or takes integers, the elements are float32");
  CHECK(refused({inputs("f"), "--op=dot", "--with", inputs("l[:2]")}) ==
        "--with " + inputs("l[:2]") + ": has shape (2,), " + inputs("f") +
            " has (3,); dot takes two arrays of one shape");
  CHECK(refused({inputs("f"), "--op=dot", "--with", inputs("l")}) ==
        "--with " + inputs("l") + ": holds int64, " + inputs("f") + " holds float32; no type holds both exactly");
  CHECK(
      refused({inputs("f"), "--op=dot", "--with", inputs("f") + "g"}).starts_with(inputs("f") + "g: no such dataset"));
}

TEST_CASE("tessera-reduce: variants that cannot do it") {
  const Inputs inputs;
  const std::string line = refused({inputs("x"), "--op=sum", "--axis=0", "--variant=single_pass"});
  CHECK(line == inputs("x") + ": --variant: single_pass cannot do sum along axes; there are automatic");
  CHECK(refused({inputs("x"), "--op=dot", "--with", inputs("x"), "--axis=0", "--variant=single_pass"}) ==
        inputs("x") + ": --variant: single_pass cannot do dot along axes; there are automatic");
}

}  // namespace tessera::apps::test
