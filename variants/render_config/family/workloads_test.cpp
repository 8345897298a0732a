#include "variants/render_config/family/workloads.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "variants/common/testing/claims_of_article.h"

namespace lab::render_config {

TEST(Claims, are_about_variants_workloads_and_metrics_that_exist) {
  EXPECT_EQ(unknown_in_articles("render_config", make_workloads({})), std::vector<std::string>{});
}

}  // namespace lab::render_config
