#include "harness/report/markdown.h"

#include <gtest/gtest.h>

namespace lab::report {

TEST(Markdown, escapes_text_that_looks_like_markdown) {
  const std::pair<const char*, const char*> kTable[] = {{"plain, 1.5 ns", "plain, 1.5 ns"},
                                                        {"v1_st_new", "v1\\_st\\_new"},
                                                        {"a|b", "a\\|b"},
                                                        {"<b>&", "&lt;b>&amp;"},
                                                        {"two\nlines", "two lines"},
                                                        {"`*[x]#\\", "\\`\\*\\[x\\]\\#\\\\"}};
  for (const auto& [text, escaped] : kTable) EXPECT_EQ(escape_markdown(text), escaped);
}

TEST(Markdown, renders_every_kind_of_element) {
  Document document;
  document.title = "Title";
  document.lead = "Two reproduced.";
  document.facts = {{"Machine", "small"}};
  document.progress = "1 of 2 blocks so far.";
  Chart chart("time", "family-work");
  chart.title = "work: a is first";
  document.pages[0].sections.push_back(
      {"s",
       "Section",
       {Paragraph{"Said."}, List{{"one", "two"}},
        Table{"table",
              "Caption",
              {{"Name", TableColumn::Kind::kName}, {"ns", TableColumn::Kind::kNumber}},
              {{TableCell("weaker", Emphasis::kWeak), "1.5"}}},
        Charts{{chart}},
        PictureComparison{
            "family-both", "Both", "Said.", {{"p", "a [b]", "", "", "", 1, 1}, {"q", "c", "", "", "", 1, 1}}},
        Preformatted{"$ a\nb\n"}},
       {{"inner", "Inner", {Paragraph{"More."}}, {}}}});
  EXPECT_EQ(to_markdown(document),
            "# Title\n\n**Two reproduced.**\n\n1 of 2 blocks so far.\n\n- Machine: small\n\n## Section\n\nSaid.\n\n- "
            "one\n- two\n"
            "\nCaption:\n\n| Name | ns |\n|---|---:|\n| **weaker** | 1.5 |\n"
            "\n![work: a is first](family-work.svg)\n\nBoth: [a \\[b\\]](p.png), [c](q.png). Said.\n\n    $ a\n    "
            "b\n\n### Inner\n\nMore.\n");
}

}  // namespace lab::report
