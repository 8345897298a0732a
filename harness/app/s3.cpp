#include "harness/app/s3.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <tuple>
#include <utility>

#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/open_file.h"
#include "harness/base/percent.h"
#include "harness/base/printable.h"
#include "harness/base/usage_error.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

using Fields = std::map<std::string, std::string>;

/// Older ones sign requests to S3 wrongly.
constexpr std::pair kLeastCurl{7, 88};
constexpr const char* kCredentialsHint =
    "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to a profile of ~/.aws/credentials";
constexpr std::array<std::pair<std::string_view, const char*>, 7> kHints{{
    {"NoSuchBucket", "correct the name of the bucket, or make it"},
    {"AccessDenied", kCredentialsHint},
    {"InvalidAccessKeyId", kCredentialsHint},
    {"SignatureDoesNotMatch", kCredentialsHint},
    {"ExpiredToken", "get new credentials and set AWS_SESSION_TOKEN with them"},
    {"RequestTimeTooSkewed", "set this machine's clock"},
    {"PermanentRedirect", "set AWS_REGION to the bucket's region"},
}};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(kBlanks);
  return from == std::string_view::npos ? ""
                                        : std::string(text.substr(from, text.find_last_not_of(kBlanks) - from + 1));
}

/// What is kept in an address. Servers disagree on a bare '+'; escaped, it means the same to all.
constexpr std::string_view kPath = "-._~/", kQuery = "-._~";

/// A value in curl's configuration.
std::string config_value(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// The texts of all elements `name` in S3's answer; its documents are flat enough for that.
std::vector<std::string> elements(std::string_view answer, std::string_view name) {
  std::vector<std::string> found;
  const std::string open = fmt::format("<{}>", name), close = fmt::format("</{}>", name);
  for (std::size_t at = answer.find(open); at != std::string_view::npos; at = answer.find(open, at)) {
    at += open.size();
    const std::size_t end = answer.find(close, at);
    if (end == std::string_view::npos) break;
    std::string text(answer.substr(at, end - at));
    for (const auto& [code, plain] : std::initializer_list<std::pair<std::string_view, const char*>>{
             {"&quot;", "\""}, {"&#34;", "\""}, {"&apos;", "'"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}})
      for (std::size_t i = text.find(code); i != std::string::npos; i = text.find(code, i + 1))
        text.replace(i, code.size(), plain);
    found.push_back(std::move(text));
  }
  return found;
}

std::string element(std::string_view answer, std::string_view name) {
  const std::vector<std::string> found = elements(answer, name);
  return found.empty() ? "" : found.front();
}

/// The fields of AWS_PROFILE; those of the credentials file come first.
Expected<Fields> profile() {
  const std::string given = variable("AWS_PROFILE"), name = given.empty() ? "default" : given;
  const auto section = [](const char* file_variable, const char* file, const std::string& of) -> std::optional<Fields> {
    const std::string path = variable(file_variable);
    const Expected<std::string> text =
        read_file(path.empty() ? fs::path(variable("HOME")) / ".aws" / file : fs::path(path));
    return text ? ini_section(*text, of) : std::nullopt;
  };
  std::optional<Fields> secrets = section("AWS_SHARED_CREDENTIALS_FILE", "credentials", name);
  std::optional<Fields> config = section("AWS_CONFIG_FILE", "config", name == "default" ? name : "profile " + name);
  if (!secrets && !config && !given.empty())
    return usage_error(fmt::format("expected the profile '{}' of AWS_PROFILE in ~/.aws/credentials or ~/.aws/config, "
                                   "found none",
                                   name),
                       kCredentialsHint);
  Fields all = secrets.value_or(Fields());
  all.merge(config.value_or(Fields()));
  return all;
}

Expected<void> check_curl() {
  ChildSpec spec;
  spec.command = {"curl", "--version"};
  const ChildOutcome outcome = run_child(spec);
  if (outcome.end == ChildEnd::kNotStarted)
    return usage_error("expected the program curl for s3://, found none", "install curl");
  std::istringstream words(outcome.output);
  std::string name, version;
  words >> name >> version;
  int major = 0, minor = 0;
  const auto [dot, bad] = std::from_chars(version.data(), version.data() + version.size(), major);
  if (bad == std::errc() && dot != version.data() + version.size())
    std::from_chars(dot + 1, version.data() + version.size(), minor);
  if (std::pair(major, minor) >= kLeastCurl) return {};
  return usage_error(fmt::format("expected curl {}.{} or newer for s3://, found {}", kLeastCurl.first,
                                 kLeastCurl.second, version.empty() ? "another program" : printable(version)),
                     "install a newer curl");
}

}  // namespace

std::optional<Fields> ini_section(std::string_view text, std::string_view section) {
  std::optional<Fields> found;
  bool is_inside = false;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const bool is_nested = line.starts_with(' ') || line.starts_with('\t');
    line = trimmed(line);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      is_inside = trimmed(std::string_view(line).substr(1, line.size() - 2)) == section;
      if (is_inside && !found) found.emplace();
      continue;
    }
    const std::size_t sign = line.find('=');
    if (is_inside && !is_nested && sign != std::string::npos)
      (*found)[trimmed(std::string_view(line).substr(0, sign))] = trimmed(std::string_view(line).substr(sign + 1));
  }
  return found;
}

Expected<S3> S3::open(const std::string& address, int stop_file) {
  if (const Expected<void> checked = check_curl(); !checked) return checked.error();
  Expected<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) return folder.error();
  S3 s3(std::move(*folder), stop_file);
  const Expected<Fields> profile = app::profile();
  if (!profile) return profile.error();
  const auto field = [&](const char* name) {
    const auto found = profile->find(name);
    return found == profile->end() ? "" : found->second;
  };
  s3.key_ = variable("AWS_ACCESS_KEY_ID");
  s3.secret_ = variable("AWS_SECRET_ACCESS_KEY");
  s3.token_ = variable("AWS_SESSION_TOKEN");
  if (s3.key_.empty() && s3.secret_.empty())
    std::tie(s3.key_, s3.secret_, s3.token_) =
        std::tuple(field("aws_access_key_id"), field("aws_secret_access_key"), field("aws_session_token"));
  if (s3.key_.empty() != s3.secret_.empty())
    return usage_error(fmt::format("expected a whole access key, found no {}",
                                   s3.key_.empty() ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"),
                       kCredentialsHint);
  for (const std::string& one :
       {variable("AWS_REGION"), variable("AWS_DEFAULT_REGION"), field("region"), std::string("us-east-1")})
    if (s3.region_.empty()) s3.region_ = one;
  const std::string path = address.substr(std::string_view("s3://").size());
  const std::string bucket = path.substr(0, path.find('/'));
  s3.prefix_ = path.size() > bucket.size() ? path.substr(bucket.size() + 1) : "";
  if (!s3.prefix_.empty() && s3.prefix_.back() != '/') s3.prefix_ += '/';
  std::string endpoint = variable("AWS_ENDPOINT_URL_S3");
  if (endpoint.empty()) endpoint = variable("AWS_ENDPOINT_URL");
  while (endpoint.ends_with('/')) endpoint.pop_back();
  const std::string host = fmt::format("s3.{}.amazonaws.com{}", s3.region_, s3.region_.starts_with("cn-") ? ".cn" : "");
  s3.bucket_url_ = !endpoint.empty() ? fmt::format("{}/{}", endpoint, bucket)
                   // The certificate of *.s3 covers no further dots.
                   : bucket.find('.') != std::string::npos ? fmt::format("https://{}/{}", host, bucket)
                                                           : fmt::format("https://{}.{}", bucket, host);
  return s3;
}

std::string S3::url_of(std::string_view key) const {
  return fmt::format("{}/{}", bucket_url_, percent_encoded(prefix_ + std::string(key), kPath));
}

Expected<int> S3::run(std::span<const Transfer> transfers) {
  std::string config = "silent\nshow-error\nfail-early\n";
  for (const Transfer& one : transfers) {
    if (&one != &transfers.front()) config += "next\n";
    config += fmt::format("url = {}\noutput = {}\n", config_value(one.url), config_value(one.output.string()));
    if (!one.upload.empty()) config += fmt::format("upload-file = {}\n", config_value(one.upload.string()));
    config += "globoff\nfail-with-body\nconnect-timeout = 30\nspeed-time = 60\nspeed-limit = 1\nretry = 2\n";
    config += "write-out = \"%{http_code}\\n\"\n";
    if (key_.empty()) continue;
    config += fmt::format("aws-sigv4 = {}\nuser = {}\n", config_value(fmt::format("aws:amz:{}:s3", region_)),
                          config_value(fmt::format("{}:{}", key_, secret_)));
    config += "header = \"x-amz-content-sha256: UNSIGNED-PAYLOAD\"\n";
    if (!token_.empty()) config += fmt::format("header = {}\n", config_value("x-amz-security-token: " + token_));
  }
  // Neither an argument, which everybody on the machine can read, nor a file, which a kill would leave.
  const File secret(::memfd_create("curl", MFD_CLOEXEC));
  if (secret.get() < 0 || ::write(secret.get(), config.data(), config.size()) != static_cast<ssize_t>(config.size()))
    return file_error("writing", "curl's configuration", errno);
  ChildSpec spec;
  // Without the first argument, curl reads the user's configuration, too.
  spec.command = {"curl", "--disable", "--config", fmt::format("/dev/fd/{}", secret.get())};
  spec.timeout_seconds = std::numeric_limits<double>::infinity();
  spec.kept_files = {secret.get()};
  const ChildOutcome outcome = run_child(spec, stop_file_);
  if (outcome.end == ChildEnd::kStopped) return interrupted_error();
  std::string last;
  std::istringstream lines(outcome.output);
  for (std::string line; std::getline(lines, line);) last = line;
  int status = 0;
  std::from_chars(last.data(), last.data() + last.size(), status);
  const bool is_good = outcome.end == ChildEnd::kExited && outcome.code == 0;
  if (is_good || status >= 400) return status;
  const std::string said = trimmed(printable(outcome.error_tail));
  return Error{said.empty() ? describe_end(spec, outcome) : said, ""};
}

Error S3::error_of(int status, const fs::path& answer) const {
  const Expected<std::string> text = read_file(answer);
  const std::string code = text ? printable(element(*text, "Code")) : "";
  const auto hint = std::ranges::find(kHints, code, &std::pair<std::string_view, const char*>::first);
  const char* const whose = code == "AccessDenied" && key_.empty() ? " to a request without credentials" : "";
  return {fmt::format("the server answered {}{}{}", status, code.empty() ? "" : ", " + code, whose),
          hint == kHints.end() ? "" : hint->second};
}

Expected<void> S3::all(std::span<const Transfer> transfers) {
  // What one configuration holds is limited by nothing, but a failure should name its own answer.
  for (std::size_t from = 0; from < transfers.size();) {
    const auto some = transfers.subspan(from, std::min<std::size_t>(500, transfers.size() - from));
    const Expected<int> status = run(some);
    if (!status) return status.error();
    if (*status >= 400) {
      const auto failed = std::ranges::find_if(some, [](const Transfer& one) {
        const Expected<std::string> text = read_file(one.output);
        return text && !element(*text, "Code").empty() && text->starts_with("<");
      });
      return error_of(*status, failed == some.end() ? folder_.path() / "answer" : failed->output);
    }
    from += some.size();
  }
  return {};
}

Expected<void> S3::put(std::span<const S3Copy> files) {
  std::vector<Transfer> transfers;
  for (const S3Copy& one : files) transfers.push_back({url_of(one.key), one.file, folder_.path() / "answer"});
  return all(transfers);
}

Expected<void> S3::get(std::span<const S3Copy> files) {
  std::vector<Transfer> transfers;
  for (const S3Copy& one : files) transfers.push_back({url_of(one.key), {}, one.file});
  return all(transfers);
}

Expected<bool> S3::get_if_there(const S3Copy& file) {
  const Transfer one{url_of(file.key), {}, file.file};
  const Expected<int> status = run({&one, 1});
  if (!status) return status.error();
  if (*status == 404) {
    const Expected<std::string> text = read_file(file.file);
    if (!text || element(*text, "Code") != "NoSuchBucket") return false;
  }
  if (*status >= 400) return error_of(*status, file.file);
  return true;
}

Expected<std::vector<S3Object>> S3::list(const std::string& start) {
  std::vector<S3Object> objects;
  std::string next;
  do {
    // curl signs a query as it stands: sorted and escaped.
    std::string query = next.empty() ? "" : fmt::format("continuation-token={}&", percent_encoded(next, kQuery));
    query += fmt::format("list-type=2&prefix={}", percent_encoded(prefix_ + start, kQuery));
    const Transfer one{fmt::format("{}?{}", bucket_url_, query), {}, folder_.path() / "list"};
    const Expected<int> status = run({&one, 1});
    if (!status) return status.error();
    if (*status >= 400) return error_of(*status, one.output);
    const Expected<std::string> text = read_file(one.output);
    if (!text) return text.error();
    for (const std::string& entry : elements(*text, "Contents"))
      if (const std::string key = element(entry, "Key"); key.starts_with(prefix_))
        objects.push_back({key.substr(prefix_.size()), element(entry, "ETag")});
    next = element(*text, "IsTruncated") == "true" ? element(*text, "NextContinuationToken") : "";
  } while (!next.empty());
  std::ranges::sort(objects, {}, &S3Object::key);
  return objects;
}

}  // namespace lab::app
