/// JUnit's XML, which CI systems show: the one writer for compare and nightly.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lab::report {

struct JunitCase {
  enum Outcome { kPassed, kFailed, kError, kSkipped };
  std::string classname, name;
  Outcome outcome = kPassed;
  std::string message;  ///< why; of a passed case its output, "" for none
};

struct JunitSuite {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JunitCase> cases;
};

/// The suite as a file. Markup is escaped; a control character becomes a blank, because XML 1.0 forbids most.
std::string junit_xml(const JunitSuite& suite);

}  // namespace lab::report
