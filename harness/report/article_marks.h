/// The values that an article about drivers states, as marks in the graphs of an atlas.
#pragma once

#include <boost/json.hpp>

#include "harness/results/article.h"

namespace lab::report {

/// What the legend calls them: "the article's values (io7m, 2023)".
std::string article_label(const results::Article& article);

/// An image's position on the graphs' axis: the logarithm of its width, subdivided by that of its height.
double image_position(std::uint64_t width, std::uint64_t height);

/// Rows of the data set "article": {position or length, what, value, about, source}. A value of every image stands at
/// the right edge, that of the smallest image at the smallest.
boost::json::array storage_marks(const results::Article& article);
boost::json::array alignment_marks(const results::Article& article);
boost::json::array buffer_storage_marks(const results::Article& article);

}  // namespace lab::report
