/// Objects of a bucket of Amazon S3 or of a compatible server, by the program curl. Settings are those of spm's source
/// `s3`: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, or the profile of AWS_PROFILE in the files of
/// AWS's own tools; AWS_REGION; AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL for another server. Without credentials,
/// requests are not signed.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error_fwd.h"
#include "harness/base/temporary_folder.h"

namespace lab::app {

struct S3Copy {
  std::string key;  ///< below the prefix
  std::filesystem::path file;
};

struct S3Object {
  std::string key;  ///< below the prefix
  std::string tag;  ///< changes with the content
};

class S3 {
 public:
  /// `address`: s3://BUCKET/PREFIX. `stop_file`: see run_child. An error (kUsage) if curl is missing or too old, or if
  /// half of the credentials is.
  static Expected<S3> open(const std::string& address, int stop_file);

  /// One after the other; the first error ends it.
  Expected<void> put(std::span<const S3Copy> files);
  Expected<void> get(std::span<const S3Copy> files);
  /// False if there is no such object.
  Expected<bool> get_if_there(const S3Copy& file);
  /// All objects whose key begins with `start`, sorted.
  Expected<std::vector<S3Object>> list(const std::string& start);

 private:
  struct Transfer {
    std::string url;
    std::filesystem::path upload, output;
  };
  S3(TemporaryFolder folder, int stop_file) : folder_(std::move(folder)), stop_file_(stop_file) {}
  /// The HTTP status of the last transfer that was tried, or an error if there was none.
  Expected<int> run(std::span<const Transfer> transfers);
  Expected<void> all(std::span<const Transfer> transfers);
  Error error_of(int status, const std::filesystem::path& answer) const;
  std::string url_of(std::string_view key) const;

  TemporaryFolder folder_;
  int stop_file_;
  std::string bucket_url_, prefix_, region_, key_, secret_, token_;
};

/// The fields of one section of an INI file; none if it has no such section.
std::optional<std::map<std::string, std::string>> ini_section(std::string_view text, std::string_view section);

}  // namespace lab::app
