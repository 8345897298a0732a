/// JUnit XML for CI systems; compare and nightly share this writer.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lab::report {

struct JunitCase {
  enum Outcome { kPassed, kFailed, kError, kSkipped };
  std::string classname, name;
  Outcome outcome = kPassed;
  std::string message;  ///< the reason; for a passed case its output, or ""
};

struct JunitSuite {
  std::string name;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<JunitCase> cases;
};

/// The suite as a file. Escapes markup. A control character becomes a blank, because XML 1.0 forbids most.
std::string junit_xml(const JunitSuite& suite);

}  // namespace lab::report
