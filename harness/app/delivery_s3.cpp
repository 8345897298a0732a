// Delivery to a bucket of S3. An object appears when it is whole, so a result needs only be put after its exhibits.
#include <fmt/format.h>

#include <algorithm>

#include "harness/app/delivery_place.h"
#include "harness/app/s3.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/results/inbox.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

class S3Place : public DeliveryPlace {
 public:
  S3Place(S3 s3, TemporaryFolder folder) : s3_(std::move(s3)), folder_(std::move(folder)) {}

  Expected<std::vector<Delivery>> put(std::span<const Parcel> parcels) override {
    std::vector<Delivery> ends;
    std::string problem;
    for (const Parcel& parcel : parcels) {
      Delivery& one = ends.emplace_back(Delivery{parcel.file, parcel.machine});
      // What fails once fails for all: each would wait for the same server.
      if (const Expected<void> done = problem.empty() ? put_one(parcel, one) : Expected<void>(); !done) {
        if (done.error().status == ExitStatus::kInterrupted) return done.error();
        problem = done.error().what;
      }
      if (!problem.empty()) one.problem = problem;
    }
    return ends;
  }

 private:
  Expected<void> put_one(const Parcel& parcel, Delivery& end) {
    const std::string box = fmt::format("{}/{}/", results::kInbox, parcel.machine);
    const Expected<std::string> content = read_file(parcel.file);
    if (!content) return content.error();
    end.name = parcel.file.filename();
    for (const std::string& name : {std::string(parcel.file.filename()), parcel.second}) {
      const fs::path there = folder_.path() / "there";
      const Expected<bool> is_there = s3_.get_if_there({box + name, there});
      if (!is_there) return is_there.error();
      end.name = name;
      if (!*is_there) break;
      const Expected<std::string> other = read_file(there);
      if (!other) return other.error();
      if (*other == *content) {
        end.end = DeliveryEnd::kThere;
        return {};
      }
    }
    std::vector<S3Copy> files;
    const auto [exhibits, packed] = results::exhibits_of(parcel.file.filename().string());
    const auto [exhibits_there, packed_there] = results::exhibits_of(end.name);
    const fs::path folder = parcel.file.parent_path() / exhibits;
    std::error_code missing;
    for (fs::recursive_directory_iterator at(folder, missing), last; !missing && at != last; at.increment(missing))
      if (at->is_regular_file())
        files.push_back(
            {box + (fs::path(exhibits_there) / at->path().lexically_relative(folder)).string(), at->path()});
    if (const fs::path file = parcel.file.parent_path() / packed; fs::is_regular_file(file, missing))
      files.push_back({box + packed_there, file});
    std::ranges::sort(files, {}, &S3Copy::key);
    files.push_back({box + end.name, parcel.file});
    if (const Expected<void> put = s3_.put(files); !put) return put;
    end.end = end.name == parcel.second ? DeliveryEnd::kSecondName : DeliveryEnd::kDelivered;
    return {};
  }

  S3 s3_;
  TemporaryFolder folder_;
};

}  // namespace

Expected<std::unique_ptr<DeliveryPlace>> s3_place(const std::string& address, const Sender& sender) {
  Expected<S3> s3 = S3::open(address, sender.stop_file);
  if (!s3) return s3.error();
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return folder.error();
  return std::make_unique<S3Place>(std::move(*s3), std::move(*folder));
}

}  // namespace lab::app
