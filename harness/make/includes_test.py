"""Which names need an include, and which includes count."""

import unittest

from harness.make import includes

FILES = {
    "a/own.cpp": '#include "a/own.h"\n\nvoid f(std::vector<int>& v) { fmt::print("{}", v.size()); }\n',
    "a/own.h": "#include <vector>\n",
    "a/near.cpp": '#include "near.h"\nauto x = std::sqrt(2.0) + std::ranges::max(1, 2);\n',
    "a/near.h": "#include <cmath>\n#include <boost/json.hpp>\n",
    "a/words.cpp": '// std::map<int>\nconst char* s = "std::set<int>"; /* std::mutex\n */ int std_string;\n',
    "a/json.cpp": "f(const boost::json::value& v);\nboost::json::object o;\nstd::string_view s;\n",
    "a/templates.cpp": "std::optional<int> o = std::nullopt;\nstd::variant<int> v;\nstd::multimap<int, int> m;\n",
    "a/longer.cpp": "std::sorted(std::logical(), std::string_views);\n",
}


class Includes(unittest.TestCase):
    def found(self, name: str) -> list[str]:
        return includes.findings([name], FILES.get)

    def test_a_header_of_ours_counts_and_another_is_missed(self) -> None:
        self.assertEqual(self.found("a/own.cpp"), ["a/own.cpp:3: fmt::print without #include <fmt/format.h>"])
        self.assertEqual(self.found("a/near.cpp"), ["a/near.cpp:2: std::ranges::max without #include <algorithm>"])

    def test_comments_and_strings_are_no_code(self) -> None:
        self.assertEqual(self.found("a/words.cpp"), [])

    def test_a_reference_to_a_declared_value_needs_none(self) -> None:
        self.assertEqual(self.found("a/json.cpp"), ["a/json.cpp:2: boost::json::object without #include <boost/json.hpp>",
                                                    "a/json.cpp:3: std::string_view without #include <string_view>"])

    def test_templates_count(self) -> None:
        self.assertEqual(self.found("a/templates.cpp"),
                         ["a/templates.cpp:3: std::multimap without #include <map>",
                          "a/templates.cpp:1: std::optional without #include <optional>",
                          "a/templates.cpp:2: std::variant without #include <variant>"])

    def test_longer_names_are_others(self) -> None:
        self.assertEqual(self.found("a/longer.cpp"), [])


if __name__ == "__main__":
    unittest.main()
