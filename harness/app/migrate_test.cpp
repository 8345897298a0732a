#include "harness/app/migrate.h"

#include <gtest/gtest.h>

#include "harness/base/files.h"
#include "harness/base/scratch_folder.h"
#include "harness/results/result_fixture.h"

namespace lab::app {

namespace {

namespace fs = std::filesystem;

/// A result as this project's first schema wrote it, cut to what a reader needs.
std::string schema_1_result() {
  results::Result result = results::fixture_result(7);
  result.schema = 1;
  std::string text = results::serialize(result);
  for (const std::string& added :
       {std::string(R"(,"points":[],"device":"")"),
        std::string(R"(,"metrics":[],"primary":"time","axis":null,"tolerance":null,"exhibits":[])"),
        std::string(",\n  \"exhibits\": []")})
    for (std::size_t at = text.find(added); at != std::string::npos; at = text.find(added))
      text.erase(at, added.size());
  EXPECT_EQ(text.find("exhibits"), std::string::npos);
  return text;
}

std::vector<MigratedResult> migrated(const MigrateRequest& request, std::size_t problems = 0) {
  std::vector<MigratedResult> all;
  const Expected<std::size_t> found = migrate(request, [&](const MigratedResult& one) { all.push_back(one); });
  EXPECT_TRUE(found) << (found ? "" : found.error().what);
  EXPECT_EQ(found ? *found : 99, problems);
  return all;
}

}  // namespace

TEST(Migrate, of_the_kept_results_finds_nothing_wrong) {
  EXPECT_FALSE(migrated({{fs::path(LAB_SOURCE_DIR) / "results"}, true}).empty());
}

TEST(Migrate, leaves_what_no_collector_has_taken) {
  const ScratchFolder folder;
  for (const char* name : {"inbox/m/a.json", "quarantine/m/a.json", "m/b.json"}) folder.write(name, "{");
  folder.write("m/a.json", results::serialize(results::fixture_result(1)));
  const std::vector<MigratedResult> all = migrated({{folder.path()}, true});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].path, folder.path() / "m/a.json");
}

TEST(Migrate, rewrites_a_result_of_schema_1_once) {
  const ScratchFolder folder;
  folder.write("m/old.json", schema_1_result());
  folder.write("m/atlas/x/column.json", "{}");
  EXPECT_EQ(migrated({{folder.path()}, true}).at(0).schema, 1);
  EXPECT_EQ(*read_file(folder.path() / "m/old.json"), schema_1_result());
  EXPECT_TRUE(migrated({{folder.path()}}).at(0).rewritten);
  const Expected<results::Result> now = results::load_result(folder.path() / "m/old.json");
  ASSERT_TRUE(now) << now.error().what;
  EXPECT_EQ(now->schema, results::kSchema);
  EXPECT_EQ(now->processes.size(), 14u);
  EXPECT_FALSE(migrated({{folder.path()}}).at(0).rewritten);
}

TEST(Migrate, names_what_it_cannot_read_and_leaves_it) {
  const ScratchFolder folder;
  const std::string cut = schema_1_result().substr(0, 2000);
  folder.write("cut.json", cut);
  const std::vector<MigratedResult> all = migrated({{folder.path() / "cut.json"}}, 1);
  EXPECT_NE(all.at(0).problem, "");
  EXPECT_EQ(*read_file(folder.path() / "cut.json"), cut);
  EXPECT_EQ(migrate({{folder.path() / "none"}}, {}).error().what,
            "there is no '" + (folder.path() / "none").string() + "'");
  EXPECT_EQ(migrate({{folder.path()}, true}, {}).value(), 1u);
}

}  // namespace lab::app
