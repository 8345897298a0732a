#include "harness/results/exhibit_archive.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/needs_test.h"
#include "harness/base/scratch_folder.h"
#include "harness/base/zstd.h"

namespace lab::results {
namespace {

bool all(std::string_view) {
  return true;
}

ExhibitFiles files() {
  return {{"x.exhibits/a.png", std::string(1000, 'a')},
          {"x.exhibits/b.json", ""},
          {"x.exhibits/" + std::string(95, 'n') + ".json", std::string(512, 'c')},
          {std::string(120, 'x') + ".exhibits/long.json", "long"}};
}

TEST(ExhibitArchive, gives_back_the_files_that_are_wanted) {
  const ScratchFolder folder;
  folder.write("x.exhibits.tar.zst", *exhibit_archive(files()));
  EXPECT_EQ(*read_exhibit_archive(folder.path() / "x.exhibits.tar.zst", all), files());
  EXPECT_EQ(read_exhibit_archive(folder.path() / "x.exhibits.tar.zst",
                                 [](std::string_view name) { return name == "x.exhibits/b.json"; })
                ->size(),
            1u);
  EXPECT_EQ(*exhibit_archive(files()), *exhibit_archive(files()));
}

TEST(ExhibitArchive, is_one_that_tar_unpacks) {
  SKIP_WITHOUT_PROGRAM("tar");
  SKIP_WITHOUT_PROGRAM("zstd");
  const ScratchFolder folder;
  folder.write("x.exhibits.tar.zst", *exhibit_archive(files()));
  ChildSpec tar;
  tar.command = {"tar", "--zstd", "-C", folder.path(), "-xf", (folder.path() / "x.exhibits.tar.zst").string()};
  const ChildOutcome unpacked = run_child(tar);
  EXPECT_EQ(unpacked.code, 0) << unpacked.output;
  for (const auto& [name, content] : files()) EXPECT_EQ(*read_file(folder.path() / name), content);
}

TEST(ExhibitArchive, refuses_names_that_do_not_fit_or_lead_elsewhere) {
  for (const char* name : {"/etc/passwd", "../a", "x.exhibits/../../a", "a", "x.exhibits/"})
    EXPECT_FALSE(exhibit_archive({{name, ""}})) << name;
  EXPECT_FALSE(exhibit_archive({{"x.exhibits/" + std::string(120, 'n'), ""}}));
}

TEST(ExhibitArchive, an_archive_that_is_damaged_or_leads_elsewhere_is_an_error_that_names_it) {
  const ScratchFolder folder;
  const auto problem = [&](std::string_view bytes) {
    folder.write("x.tar.zst", bytes);
    const Expected<ExhibitFiles> found = read_exhibit_archive(folder.path() / "x.tar.zst", all);
    EXPECT_FALSE(found);
    if (found) return std::string();
    EXPECT_EQ(found.error().status, ExitStatus::kUsage);
    EXPECT_NE(found.error().what.find("x.tar.zst"), std::string::npos);
    return found.error().what;
  };
  const std::string whole = *exhibit_archive(files()), tar = *zstd_decompress(whole, 1 << 20);
  EXPECT_NE(problem(whole.substr(0, whole.size() - 9)).find("too early"), std::string::npos);
  EXPECT_NE(problem(zstd_compress(tar.substr(0, 700))).find("ends within a"), std::string::npos);
  std::string other = tar;
  other[0] = '/';
  EXPECT_NE(problem(zstd_compress(other)).find("another checksum"), std::string::npos);
  // With the right checksum it is the name that is refused.
  other.replace(148, 8, "        ");
  unsigned sum = 0;
  for (const char byte : other.substr(0, 512)) sum += static_cast<unsigned char>(byte);
  other.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  EXPECT_NE(problem(zstd_compress(other)).find("which is no file of an exhibit"), std::string::npos);
  EXPECT_FALSE(read_exhibit_archive(folder.path() / "none", all));
}

}  // namespace
}  // namespace lab::results
