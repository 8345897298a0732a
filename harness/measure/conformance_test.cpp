#include "harness/measure/conformance.h"

#include <gtest/gtest.h>

#include "harness/base/patience_test.h"
#include "harness/measure/fake_build.h"

namespace lab::measure {

namespace {

using Names = std::vector<std::string>;

const std::string kBegin = R"({"protocol":1,"variant":"fake/plain","checks":[)";

/// What is made of an executable that ends so.
Names failures(ChildEnd end, int code, const std::string& output) {
  const auto found = run_conformance("/b/plain", [&](const ChildSpec& spec) {
    EXPECT_EQ(spec.command, (Names{"/b/plain", "--conformance"}));
    ChildOutcome outcome;
    outcome.end = end;
    outcome.code = code;
    outcome.output = output;
    return outcome;
  });
  return found ? found->failures : Names{"stopped"};
}

Names exited(int code, const std::string& output) {
  return failures(ChildEnd::kExited, code, output);
}

/// The real executable of the fake family, by the name of what it does.
ChildOutcome start(const FakeBuild& build, const std::string& variant, const Names& arguments) {
  ChildSpec spec;
  spec.command = {(build.path() / "variants/fake" / variant).string()};
  spec.command.insert(spec.command.end(), arguments.begin(), arguments.end());
  spec.timeout_seconds = kPatience;
  return run_child(spec);
}

Names found_by(const FakeBuild& build, const std::string& variant, const Names& arguments) {
  const Expected<FailedChecks> failures = parse_conformance(start(build, variant, arguments).output);
  return failures ? failures->failures : Names{failures.error().what};
}

}  // namespace

TEST(Conformance, is_what_the_executable_prints) {
  EXPECT_EQ(exited(0, kBegin + R"({"name":"keeps","failure":null}]})"), Names{});
  EXPECT_EQ(exited(1, kBegin + R"({"name":"keeps","failure":"a"},{"name":"holds","failure":"b"}]})"),
            (Names{"keeps: a", "holds: b"}));
}

TEST(Conformance, has_remarks_of_checks_that_do_not_decide) {
  const std::string output =
      kBegin + R"({"name":"keeps","failure":null,"remark":"a"},{"name":"holds","failure":null}]})";
  const auto found = run_conformance("/b/plain", [&](const ChildSpec&) {
    ChildOutcome outcome;
    outcome.output = output;
    return outcome;
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->failures, Names{});
  EXPECT_EQ(found->remarks, Names{"keeps: a"});
}

TEST(Conformance, fails_if_the_executable_ends_otherwise) {
  EXPECT_EQ(exited(1, kBegin + R"({"name":"keeps","failure":null}]})"), Names{"--conformance: exit status 1"});
  EXPECT_EQ(exited(1, kBegin + "]}"), Names{"--conformance: exit status 1"});
  EXPECT_EQ(exited(0, kBegin + "]}"), Names{"--conformance: expected checks, found none"});
  EXPECT_EQ(exited(0, ""), Names{"--conformance: standard output: empty"});
  EXPECT_EQ(failures(ChildEnd::kSignalled, 11, ""), Names{"--conformance: signal 11 (Segmentation fault)"});
  EXPECT_EQ(failures(ChildEnd::kTimedOut, 0, ""), Names{"--conformance: no end within 300 s"});
  EXPECT_EQ(failures(ChildEnd::kStopped, 0, ""), Names{"stopped"});
}

TEST(ConformanceChecks, fail_alone) {
  const FakeBuild build({"plain", "careless", "fragile", "stuck"});
  const Names all{"--conformance"};
  EXPECT_EQ(found_by(build, "plain", all), Names{});
  EXPECT_EQ(found_by(build, "careless", all), Names{"what is put is kept: 1 was put, 2 was there"});
  EXPECT_EQ(found_by(build, "fragile", all),
            Names{"what is put is kept: it crashed with signal 11 (Segmentation fault)"});
  // Of the other check nothing is said: on a busy machine it may take as long.
  EXPECT_EQ(found_by(build, "stuck", {"--conformance", "--seconds", "0.1"}).at(0),
            "what is put is kept: it did not end within 0.1 s");
}

TEST(ConformanceChecks, end_in_time_even_if_they_leave_a_process) {
  const FakeBuild build({"leaving", "halted"});
  EXPECT_EQ(found_by(build, "leaving", {"--conformance", "--seconds", "300"}), Names{});
  EXPECT_EQ(found_by(build, "halted", {"--conformance", "--seconds", "0.1"}).at(0),
            "what is put is kept: it did not end within 0.1 s");
}

TEST(ConformanceChecks, show_other_output_of_a_variant) {
  const FakeBuild build({"chatty"});
  EXPECT_EQ(found_by(build, "chatty", {"--conformance"}),
            Names{"what is put is kept: expected one JSON object on standard output, found 'arena ready': print to "
                  "standard error"});
}

TEST(ConformanceChecks, can_be_run_one_by_one) {
  const FakeBuild build({"careless"});
  const ChildOutcome one = start(build, "careless", {"--conformance", "what is dropped is forgotten"});
  EXPECT_EQ(one.code, 0);
  EXPECT_EQ(one.output,
            "{\"protocol\":3,\"variant\":\"fake/careless\",\"checks\":"
            "[{\"name\":\"what is dropped is forgotten\",\"failure\":null}]}\n");
  EXPECT_EQ(start(build, "careless", {"--conformance", "what is put is kept"}).code, 1);
}

TEST(ConformanceChecks, must_be_named_exactly) {
  const FakeBuild build({"plain"});
  const ChildOutcome misspelt = start(build, "plain", {"--conformance", "what is put is kpet"});
  EXPECT_EQ(misspelt.code, 2);
  EXPECT_EQ(misspelt.error_tail,
            "variant: error: plain has no check 'what is put is kpet'\nhint: did you mean 'what is put is kept'?\n");
  const ChildOutcome strange = start(build, "plain", {"--conformance", "--all"});
  EXPECT_EQ(strange.code, 2);
  EXPECT_EQ(strange.error_tail,
            "variant: error: unknown argument '--all'\nhint: --conformance [CHECK] [--seconds S]\n");
}

}  // namespace lab::measure
