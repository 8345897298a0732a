/// Where results are delivered to: a folder, a folder of another host, or a bucket of S3.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/base/error_fwd.h"

namespace lab::app {

/// A result to deliver, with the folder of its exhibits beside it, if there is one.
struct Parcel {
  std::filesystem::path file;
  std::string machine;
  std::string second;  ///< its name if another file has its own name there (results::second_name)
};

enum class DeliveryEnd { kFailed, kDelivered, kThere, kSecondName };

/// What became of a parcel.
struct Delivery {
  std::filesystem::path file;
  std::string machine;
  std::string name = {};  ///< in the inbox
  DeliveryEnd end = DeliveryEnd::kFailed;
  std::string problem = {};  ///< of kFailed: a sentence
};

class DeliveryPlace {
 public:
  virtual ~DeliveryPlace() = default;
  /// Delivers results of one machine that are in one folder, in this order, and returns as many ends.
  /// An error only if interrupted.
  virtual Expected<std::vector<Delivery>> put(std::span<const Parcel> parcels) = 0;
};

/// What a place must know of the sender.
struct Sender {
  std::string token;   ///< of this results folder: leftovers with it are of a sender that has ended
  bool is_known;       ///< something was delivered there before, so its inbox must exist
  int stop_file = -1;  ///< see run_child
  int lock_file = -1;  ///< children keep it open
};

/// One name for all spellings of a destination; an error (kUsage) says which forms there are.
Expected<std::string> destination(const std::string& to);
/// `to`: from destination().
Expected<std::unique_ptr<DeliveryPlace>> open_place(const std::string& to, const Sender& sender);

/// A folder of this host, or of another one over ssh. `host` "": this one. Runs sh, tar, cksum and cmp on both sides.
std::unique_ptr<DeliveryPlace> shell_place(const std::string& host, const std::string& folder, const Sender& sender);

/// `address`: s3://BUCKET/PREFIX. An error (kUsage) if the settings are wrong or curl is missing.
Expected<std::unique_ptr<DeliveryPlace>> s3_place(const std::string& address, const Sender& sender);

}  // namespace lab::app
