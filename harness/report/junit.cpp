#include "harness/report/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "harness/report/html.h"

namespace lab::report {

namespace {

std::string xml(std::string_view text) {
  std::string escaped = escape_html(text);
  for (char& c : escaped)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return escaped;
}

std::string outcome_xml(const JunitCase& one) {
  switch (one.outcome) {
    case JunitCase::kFailed:
      return fmt::format("<failure message=\"{}\"/>", xml(one.message));
    case JunitCase::kError:
      return fmt::format("<error message=\"{}\"/>", xml(one.message));
    case JunitCase::kSkipped:
      return fmt::format("<skipped message=\"{}\"/>", xml(one.message));
    case JunitCase::kPassed:
      break;
  }
  return one.message.empty() ? "" : fmt::format("<system-out>{}</system-out>", xml(one.message));
}

}  // namespace

std::string junit_xml(const JunitSuite& suite) {
  const auto count = [&](JunitCase::Outcome outcome) {
    return std::count_if(suite.cases.begin(), suite.cases.end(),
                         [&](const JunitCase& one) { return one.outcome == outcome; });
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n",
      xml(suite.name), suite.cases.size(), count(JunitCase::kFailed), count(JunitCase::kError),
      count(JunitCase::kSkipped));
  if (!suite.properties.empty()) text += "    <properties>\n";
  for (const auto& [name, value] : suite.properties)
    text += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", xml(name), xml(value));
  if (!suite.properties.empty()) text += "    </properties>\n";
  for (const JunitCase& one : suite.cases) {
    const std::string outcome = outcome_xml(one);
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml(one.classname), xml(one.name));
    text += outcome.empty() ? "/>\n" : fmt::format(">{}</testcase>\n", outcome);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace lab::report
