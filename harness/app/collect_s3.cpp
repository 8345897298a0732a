// Fetches the inbox of a bucket.
#include <fmt/format.h>

#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "harness/app/collect.h"
#include "harness/app/delivery_place.h"
#include "harness/app/s3.h"
#include "harness/base/json_file.h"
#include "harness/base/usage_error.h"
#include "harness/results/inbox.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

/// Of each bucket, the results that were fetched, with their tags.
using Fetched = std::map<std::string, std::map<std::string, std::string>>;

/// Objects of one result below the inbox of a bucket.
struct S3Result {
  std::string machine, name, tag;
};

/// Whether a part of a key can be the name of a file that is not hidden.
bool is_file_name(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('\0') == std::string_view::npos && name.size() < 200;
}

class Fetching {
 public:
  Fetching(const fs::path& results, S3 s3, std::string from)
      : inbox_(results / results::kInbox), s3_(std::move(s3)), from_(std::move(from)) {}

  Expected<std::vector<Explained>> run() {
    std::error_code problem;
    fs::create_directories(inbox_, problem);
    if (problem) return file_error("creating", inbox_, problem.value());
    if (fs::exists(list(), problem)) {
      Expected<Fetched> known = read_json_file<Fetched>(list());
      if (known) fetched_ = std::move(*known);  // otherwise all is fetched again, which harms nothing
    }
    const Expected<std::vector<S3Object>> objects = s3_.list(fmt::format("{}/", results::kInbox));
    if (!objects) return objects.error();
    sort(*objects);
    for (const S3Result& one : new_) {
      // A file of that name, delivered in another way, is collected first; this one comes with the next call.
      if (fs::exists(inbox_ / one.machine / one.name, problem)) continue;
      const Expected<void> done = fetch(one);
      if (!done && done.error().status == ExitStatus::kInterrupted) return done.error();
      if (!done) {
        left_.push_back({fmt::format("{}/{}/{}", results::kInbox, one.machine, one.name), done.error().what});
        break;  // the same server, the same disk
      }
      fetched_[from_][one.machine + "/" + one.name] = one.tag;
      if (const Expected<void> noted = write_file(list(), json::serialize(lab::to_json(fetched_)) + "\n"); !noted)
        return noted.error();
    }
    return left_;
  }

 private:
  fs::path list() const { return inbox_ / "fetched.json"; }

  void sort(const std::vector<S3Object>& objects) {
    for (const S3Object& one : objects) {
      const std::string path = one.key.substr(results::kInbox.size() + 1);
      const std::size_t slash = path.find('/');
      const std::string machine = path.substr(0, slash);
      const std::string name = slash == std::string::npos ? "" : path.substr(slash + 1);
      const std::size_t inner = name.find('/');
      if (!is_file_name(machine) || !is_file_name(name.substr(0, inner))) continue;
      if (inner != std::string::npos)
        exhibits_[machine + "/" + name.substr(0, inner)].push_back(name.substr(inner + 1));
      else if (name.ends_with(".exhibits.tar.zst"))
        packed_.insert(path);
      else if (const auto known = fetched_[from_].find(path);
               known == fetched_[from_].end() || known->second != one.tag)
        new_.push_back({machine, name, one.tag});
    }
  }

  Expected<void> fetch(const S3Result& one) {
    const fs::path box = inbox_ / one.machine, part = box / fmt::format("{}s3", results::kTemporary);
    const std::string key = fmt::format("{}/{}/", results::kInbox, one.machine);
    std::error_code problem;
    fs::remove_all(part, problem);
    fs::create_directories(part, problem);
    if (problem) return file_error("creating", part, problem.value());
    std::vector<S3Copy> files;
    const auto [exhibits, packed] = results::exhibits_of(one.name);
    if (results::is_result_name(one.name)) {
      if (packed_.contains(one.machine + "/" + packed)) files.push_back({key + packed, part / packed});
      for (const std::string& name : exhibits_[one.machine + "/" + exhibits]) {
        const fs::path file = part / exhibits / name;
        if (name.empty() || name.back() == '/' || file.lexically_normal() != file) continue;
        fs::create_directories(file.parent_path(), problem);
        if (problem) return file_error("creating", file.parent_path(), problem.value());
        files.push_back({key + exhibits + "/" + name, file});
      }
    }
    files.push_back({key + one.name, part / one.name});
    const Expected<void> got = s3_.get(files);
    for (const std::string& name : {exhibits, packed, one.name}) {
      if (!got || problem || !fs::exists(part / name)) continue;
      if (name != one.name) fs::remove_all(box / name, problem);
      fs::rename(part / name, box / name, problem);
    }
    std::error_code ignored;
    fs::remove_all(part, ignored);
    if (!got) return got.error();
    return problem ? file_error("moving", box / one.name, problem.value()) : Expected<void>();
  }

  fs::path inbox_;
  S3 s3_;
  std::string from_;
  Fetched fetched_;
  std::vector<S3Result> new_;
  std::map<std::string, std::vector<std::string>> exhibits_;
  std::set<std::string> packed_;
  std::vector<Explained> left_;
};

}  // namespace

Expected<std::vector<Explained>> fetch_inbox(const fs::path& results, const std::string& from, int stop_file) {
  const Expected<std::string> address = destination(from);
  if (!address || !address->starts_with("s3://"))
    return usage_error(fmt::format("--from: expected s3://BUCKET/PREFIX, found '{}'", from));
  Expected<S3> s3 = S3::open(*address, stop_file);
  if (!s3) return s3.error();
  return Fetching(results, std::move(*s3), *address).run();
}

}  // namespace lab::app
