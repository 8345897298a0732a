#include "harness/app/deliver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "harness/base/fit.h"
#include "harness/base/hash.h"
#include "harness/base/json_file.h"
#include "harness/base/lock.h"
#include "harness/base/usage_error.h"
#include "harness/results/inbox.h"
#include "harness/results/result.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* kForms = "a folder, ssh:HOST:DIR, or s3://BUCKET/PREFIX";

/// What was delivered: of each destination, the names of results, without their ending, with the time of the file.
/// Packing keeps the time (app/keep.h), so that what was delivered is not delivered packed again.
using Known = std::map<std::string, std::map<std::string, std::string>>;

/// The time of a result, as it is or packed, whose name without its ending is `base`; "" if there is none.
std::string time_of(const fs::path& folder, std::string_view base) {
  for (const std::string_view end : {".json", ".json.zst"}) {
    std::error_code none;
    const fs::file_time_type time = fs::last_write_time(folder / fmt::format("{}{}", base, end), none);
    if (!none) return fmt::format("{}", time.time_since_epoch().count());
  }
  return "";
}

/// Names go through lists of words on the other side.
bool is_plain(std::string_view name) {
  return !name.empty() && name[0] != '-' && name[0] != '.' && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string_view("._-+@=,").find(c) != std::string::npos;
  });
}

/// A file as a parcel, or why it is none.
Expected<Parcel> parcel_of(const fs::path& file) {
  const std::string name = file.filename();
  if (!results::is_result_name(name) || !is_plain(name))
    return usage_error(
        fmt::format("'{}': expected a name of letters, digits and ._-+@=, that ends in .json or "
                    ".json.zst",
                    file.string()));
  const Expected<results::Result> result = results::load_result(file);
  if (!result) return result.error();
  if (!results::is_machine_name(result->machine.id))
    return usage_error(
        fmt::format("'{}': machine.id: expected a machine's name, found '{}'", file.string(), result->machine.id));
  const Expected<std::string> content = read_file(file);
  if (!content) return content.error();
  return Parcel{fs::absolute(file).lexically_normal(), result->machine.id, results::second_name(name, *content)};
}

std::string random_token() {
  return content_name(fmt::format("{} {}", ::getpid(), std::chrono::system_clock::now().time_since_epoch().count()))
      .substr(0, 16);
}

class Delivering {
 public:
  Delivering(const DeliverRequest& request, const DeliverObserver& observer, std::string to)
      : request_(request), observer_(observer), to_(std::move(to)), folder_(request.results / request.machine) {}

  Expected<std::vector<Delivery>> run() {
    if (const Expected<void> begun = begin(); !begun) return begun.error();
    const Expected<std::vector<Parcel>> parcels = this->parcels();
    if (!parcels) return parcels.error();
    std::vector<Delivery> all;
    if (parcels->empty()) return all;
    const Expected<std::unique_ptr<DeliveryPlace>> place =
        open_place(to_, {token_, !known_[to_].empty(), request_.stop_file, lock_.get()});
    if (!place) return place.error();
    for (auto from = parcels->begin(); from != parcels->end();) {
      const auto is_other = [&](const Parcel& one) {
        return one.machine != from->machine || one.file.parent_path() != from->file.parent_path();
      };
      const auto to = std::find_if(from, parcels->end(), is_other);
      Expected<std::vector<Delivery>> ends = (*place)->put({from, to});
      if (!ends) return ends.error();
      note(*ends);
      std::ranges::move(*ends, std::back_inserter(all));
      from = to;
    }
    return all;
  }

 private:
  void remark(const std::string& sentence) const {
    if (observer_.on_remark) observer_.on_remark(sentence);
  }

  fs::path list() const { return folder_ / "state/delivered.json"; }

  /// Locks the list and reads it. Without a folder to write in, there is none.
  Expected<void> begin() {
    token_ = random_token();
    std::error_code missing;
    if (!fs::is_directory(folder_, missing)) return {};
    Expected<File> lock = lock_file(folder_ / "state/delivered.lock", LockKind::kExclusive);
    if (!lock) {
      remark(fmt::format("what is delivered is not noted: {}", lock.error().what));
      return {};
    }
    lock_ = std::move(*lock);
    // Under the lock, no other delivery from this folder is at work.
    char host[256] = "";
    ::gethostname(host, sizeof host - 1);
    token_ = content_name(fmt::format("{} {}", host, fs::absolute(folder_).lexically_normal().string())).substr(0, 16);
    if (!fs::exists(list(), missing)) return {};
    Expected<Known> known = read_json_file<Known>(list());
    if (known)
      known_ = std::move(*known);
    else
      remark(fmt::format("delivering all again: {}", known.error().what));
    return {};
  }

  Expected<std::vector<Parcel>> parcels() {
    std::vector<Parcel> parcels;
    if (!request_.files.empty()) {
      for (const fs::path& file : request_.files) {
        Expected<Parcel> parcel = parcel_of(file);
        if (!parcel) return parcel.error();
        parcels.push_back(std::move(*parcel));
      }
    } else {
      std::set<fs::path> files;
      std::error_code missing;
      for (const fs::directory_entry& entry : fs::directory_iterator(folder_, missing))
        if (results::is_result_name(entry.path().filename().string()) && fs::is_regular_file(entry.path()))
          files.insert(entry.path());
      const std::map<std::string, std::string>& there = known_[to_];
      for (const fs::path& file : files) {
        const std::string name = file.filename();
        const std::string base(results::result_base(name));
        const auto found = there.find(base);
        if (found != there.end() && found->second == time_of(folder_, base)) continue;
        Expected<Parcel> parcel = parcel_of(file);
        if (parcel)
          parcels.push_back(std::move(*parcel));
        else
          remark(fmt::format("not delivered: {}", parcel.error().what));
      }
    }
    const auto place = [](const Parcel& one) { return std::make_tuple(one.machine, one.file); };
    std::ranges::sort(parcels, {}, place);
    // A result and its compressed copy are one.
    const auto [end, last] = std::ranges::unique(parcels, {}, [](const Parcel& one) {
      return (one.file.parent_path() / results::result_base(one.file.filename().string())).string();
    });
    parcels.erase(end, last);
    return parcels;
  }

  void note(const std::vector<Delivery>& ends) {
    if (lock_.get() < 0) return;
    std::map<std::string, std::string>& there = known_[to_];
    const fs::path folder = fs::absolute(folder_).lexically_normal();
    for (const Delivery& one : ends)
      if (one.end != DeliveryEnd::kFailed && one.file.parent_path() == folder) {
        const std::string name = one.file.filename();
        const std::string base(results::result_base(name));
        there[base] = time_of(folder_, base);
      }
    std::erase_if(there, [&](const auto& one) { return time_of(folder_, one.first).empty(); });
    if (there.empty()) return;
    const Expected<void> written = write_file(list(), json::serialize(lab::to_json(known_)) + "\n");
    if (!written) remark(fmt::format("what is delivered is not noted: {}", written.error().what));
  }

  const DeliverRequest& request_;
  const DeliverObserver& observer_;
  std::string to_;
  fs::path folder_;
  File lock_;
  std::string token_;
  Known known_;
};

}  // namespace

Expected<std::string> destination(const std::string& to) {
  const auto wrong = [&](std::string_view hint) {
    return usage_error(fmt::format("--to: expected {}, found '{}'", kForms, to), std::string(hint));
  };
  const auto trimmed = [](std::string text) {
    while (text.size() > 1 && text.back() == '/') text.pop_back();
    return text;
  };
  if (to.starts_with("s3://")) {
    const std::size_t bucket = to.find_first_of("/?#", 5);
    return bucket == 5 || to.size() == 5 ? Expected<std::string>(wrong("")) : trimmed(to);
  }
  if (to.starts_with("ssh:")) {
    const std::size_t end = to.starts_with("ssh:[") ? to.find("]:") : to.find(':', 4);
    const std::size_t colon = end == std::string::npos || to[end] == ':' ? end : end + 1;
    if (colon == std::string::npos || colon == 4 || colon + 1 == to.size() || to[4] == '-' || to[4] == '/')
      return wrong("ssh:HOST:DIR");
    return trimmed(to);
  }
  if (to.empty() || to.find("://") != std::string::npos) return wrong("");
  std::error_code missing;
  if (to.find(":/") < to.find('/') && !fs::exists(to, missing)) return wrong("ssh:" + to);
  return trimmed(fs::absolute(to).lexically_normal().string());
}

Expected<std::unique_ptr<DeliveryPlace>> open_place(const std::string& to, const Sender& sender) {
  if (to.starts_with("s3://")) return s3_place(to, sender);
  if (!to.starts_with("ssh:")) return shell_place("", to, sender);
  const bool has_brackets = to.starts_with("ssh:[");
  const std::size_t end = has_brackets ? to.find("]:") : to.find(':', 4);
  const std::string host = has_brackets ? to.substr(5, end - 5) : to.substr(4, end - 4);
  std::string folder = to.substr(end + (has_brackets ? 2 : 1));
  if (folder.starts_with("~/")) folder = folder.substr(2);  // where ssh begins
  if (folder.starts_with('-')) folder = "./" + folder;
  return shell_place(host, folder, sender);
}

Expected<std::vector<Delivery>> deliver(const DeliverRequest& request, const DeliverObserver& observer) {
  Expected<std::string> to = destination(request.to);
  if (!to) return to.error();
  return Delivering(request, observer, std::move(*to)).run();
}

Expected<void> failure_of(const std::vector<Delivery>& deliveries, const std::string& to) {
  const auto has_failed = [](const Delivery& one) { return one.end == DeliveryEnd::kFailed; };
  const auto first = std::ranges::find_if(deliveries, has_failed);
  if (first == deliveries.end()) return {};
  const auto failed = static_cast<std::size_t>(std::ranges::count_if(deliveries, has_failed));
  return Error{fmt::format("{} of {} not delivered to '{}': {}", failed, counted(deliveries.size(), "result"), to,
                           first->problem),
               "they stay here; the next deliver tries again"};
}

}  // namespace lab::app
