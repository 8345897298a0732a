// Delivery to a folder of this host or of another one, by one script of sh that reads a stream of tar. Over ssh, all
// results take one connection.
#include <fmt/format.h>

#include <limits>
#include <sstream>

#include "harness/app/delivery_place.h"
#include "harness/base/child.h"
#include "harness/base/error.h"
#include "harness/base/files.h"
#include "harness/base/printable.h"
#include "harness/base/temporary_folder.h"
#include "harness/results/inbox.h"
#include "harness/results/result_name.h"

namespace lab::app {

namespace fs = std::filesystem;

namespace {

/// Sends: $1 is a folder with `receive` and `list` and for what else is made here, $2 the folder of the results, the
/// rest is the receiver's command. What cannot be read has no sums, so that the receiver refuses it.
constexpr const char* kSend = R"sh(
LC_ALL=C; export LC_ALL
staging=$1; folder=$2; shift 2
cd "$folder" && mkdir "$staging/sums" && : > "$staging/files" || exit 1
while read -r name stem second to; do
  : > "$staging/unsorted"
  if [ -d "./$stem.exhibits" ]; then
    find "./$stem.exhibits" -type f -exec cksum {} + > "$staging/unsorted" || continue
    echo "./$stem.exhibits" >> "$staging/files"
  fi
  if [ -f "./$stem.exhibits.tar.zst" ]; then
    cksum "./$stem.exhibits.tar.zst" >> "$staging/unsorted" || continue
    echo "./$stem.exhibits.tar.zst" >> "$staging/files"
  fi
  cksum "./$name" >> "$staging/unsorted" || continue
  sort "$staging/unsorted" > "$staging/sums/$name" || continue
  echo "./$name" >> "$staging/files"
done < "$staging/list"
{ cat "$staging/receive" && tar -cf - -C "$staging" list sums -C "$folder" -T "$staging/files"; } | "$@"
)sh";

/// Receives, after a head that sets dest, machine, token and is_known. It answers in lines that begin with "lab: ":
/// `new`, `there`, `second` or `failed`, and the name; at the end `end`, or `stop` and the reason.
/// A hard link takes a name only if it is free, which mv does not.
constexpr const char* kReceive = R"sh(
LC_ALL=C; export LC_ALL; unset CDPATH
say() { printf 'lab: %s\n' "$*"; }
first() { printf '%s' "${1%%
*}"; }
stop() { say "stop $*"; exit 0; }
[ -d "$dest" ] || stop "expected the results folder of the collector, found none"
cd "$dest" 2>/dev/null || stop "the folder cannot be entered"
[ "$is_known" = 0 ] || [ -d inbox ] || stop "expected the inbox of earlier deliveries, found none: the folder may not be mounted"
box=inbox/$machine
problem=$(mkdir -p "$box" 2>&1) || stop "$(first "$problem")"
rm -rf "$box/.part-$token-"* 2>/dev/null
for old in "$box"/.part-*; do
  [ -d "$old" ] && [ -n "$(find "$old" -prune -mtime +0)" ] && rm -rf "$old"
done
part=$box/.part-$token-$$
problem=$(mkdir "$part" 2>&1) || stop "$(first "$problem")"
trap 'rm -rf "$part"' EXIT
trap 'exit 1' HUP INT TERM
arrived=$(tar -xof - -C "$part" 2>&1)
arrived=$(first "$arrived")
case $arrived in *"Wrote only"*) arrived="the disk there is full ($arrived)" ;; esac
syncs=; sync "$part" 2>/dev/null && syncs=1
keep() { if [ -n "$syncs" ]; then find "$1" -exec sync {} +; else sync; fi; }
sums() { (cd "$part" && {
  [ ! -d "./$stem.exhibits" ] || find "./$stem.exhibits" -type f -exec cksum {} +
  [ ! -f "./$stem.exhibits.tar.zst" ] || cksum "./$stem.exhibits.tar.zst"
  cksum "./$name"
} | sort) 2>/dev/null; }
is_whole() { [ -f "$part/$name" ] && [ -s "$part/sums/$name" ] && [ "$(sums)" = "$(cat "$part/sums/$name")" ]; }
is_taken() { [ -e "$1" ] || [ -h "$1" ]; }
failed() { say "failed $name $(first "$1")"; }
take() {
  is_whole || { failed "${arrived:-it did not arrive whole}"; return; }
  for there in "$box/$name" "$machine/$name" "$box/$second" "$machine/$second"; do
    [ -f "$there" ] && cmp -s "$part/$name" "$there" && { say "there $name"; return; }
  done
  as=$name; end=new
  if is_taken "$box/$name" || is_taken "$machine/$name"; then as=$second; end=second; else to=$stem; fi
  for kind in exhibits exhibits.tar.zst; do
    [ -e "$part/$stem.$kind" ] || continue
    problem=$(keep "$part/$stem.$kind" 2>&1) || { failed "$problem"; return; }
    [ "$to" = "$stem" ] || mv "$part/$stem.$kind" "$part/$to.$kind" || { failed "its exhibits cannot be renamed"; return; }
    for try in 1 2 3; do
      # What is there without a result was left by a killed delivery. Into a folder, mv replaces none that holds anything.
      if is_taken "$box/$to.$kind"; then mv "$box/$to.$kind" "$part/old$try-$to.$kind" 2>/dev/null; fi
      problem=$(mv "$part/$to.$kind" "$box/" 2>&1) && break
    done
    [ ! -e "$part/$to.$kind" ] || { failed "$problem"; return; }
  done
  problem=$(keep "$part/$name" 2>&1) || { failed "$problem"; return; }
  if ! ln "$part/$name" "$box/$as" 2>/dev/null; then
    if [ -f "$box/$as" ] && cmp -s "$part/$name" "$box/$as"; then say "there $name"; return; fi
    if is_taken "$box/$as"; then failed "another delivery took its name"; return; fi
    problem=$(mv "$part/$name" "$box/$as" 2>&1) || { failed "$problem"; return; }
  fi
  if [ -n "$syncs" ]; then sync "$box" 2>/dev/null; else sync; fi
  say "$end $name"
}
[ -f "$part/list" ] || stop "${arrived:-nothing arrived}"
while read -r name stem second to; do take; done < "$part/list"
say end
)sh";

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// The last line that says something.
std::string last_said(const std::string& text) {
  std::string last;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \r\t") != std::string::npos) last = line.substr(0, line.find_last_not_of(" \r\t") + 1);
  return printable(last);
}

class ShellPlace : public DeliveryPlace {
 public:
  ShellPlace(std::string host, std::string folder, Sender sender)
      : host_(std::move(host)), folder_(std::move(folder)), sender_(std::move(sender)) {}

  Expected<std::vector<Delivery>> put(std::span<const Parcel> parcels) override {
    std::vector<Delivery> ends;
    for (const Parcel& parcel : parcels) ends.push_back({parcel.file, parcel.machine});
    const Expected<TemporaryFolder> staging = TemporaryFolder::create();
    if (!staging) return failed(std::move(ends), staging.error().what);
    const std::string script = receiver(parcels.front().machine);
    Expected<void> written = write_file(staging->path() / "receive", script);
    if (written) written = write_file(staging->path() / "list", list_of(parcels));
    if (!written) return failed(std::move(ends), written.error().what);
    ChildSpec spec;
    spec.command = {"sh", "-c", kSend, "sh", staging->path(), fs::absolute(parcels.front().file).parent_path()};
    for (std::string& word : command(script.size())) spec.command.push_back(std::move(word));
    spec.timeout_seconds = std::numeric_limits<double>::infinity();
    if (sender_.lock_file >= 0) spec.kept_files = {sender_.lock_file};
    const ChildOutcome outcome = run_child(spec, sender_.stop_file);
    if (outcome.end == ChildEnd::kStopped) return interrupted_error();
    return read(std::move(ends), parcels, spec, outcome);
  }

 private:
  std::string receiver(const std::string& machine) const {
    return fmt::format("dest={}; machine={}; token={}; is_known={}{}", shell_word(folder_), shell_word(machine),
                       shell_word(sender_.token), sender_.is_known ? 1 : 0, kReceive);
  }

  static std::string list_of(std::span<const Parcel> parcels) {
    std::string list;
    for (const Parcel& parcel : parcels) {
      const std::string name = parcel.file.filename();
      list += fmt::format("{} {} {} {}\n", name, results::result_base(name), parcel.second,
                          results::result_base(parcel.second));
    }
    return list;
  }

  /// Starts the receiver, whose script is the first `size` bytes that it reads: so no shell on the way sees it.
  std::vector<std::string> command(std::size_t size) const {
    const std::string start = fmt::format("eval \"$(dd bs=1 count={} 2>/dev/null)\"", size);
    if (host_.empty()) return {"sh", "-c", start};
    return {"ssh",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=30",
            "-o",
            "ServerAliveInterval=15",
            "-o",
            "ServerAliveCountMax=4",
            "--",
            host_,
            "exec sh -c " + shell_word(start)};
  }

  std::vector<Delivery> read(std::vector<Delivery> ends, std::span<const Parcel> parcels, const ChildSpec& spec,
                             const ChildOutcome& outcome) const {
    bool is_finished = false;
    std::string stopped;
    std::istringstream lines(outcome.output);
    // What a login script of the other host prints is not ours.
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("lab: ")) continue;
      std::istringstream words(line.substr(5));
      std::string word, name, rest;
      words >> word;
      if (word == "end") is_finished = true;
      if (word == "stop") std::getline(words >> std::ws, stopped);
      words >> name;
      std::getline(words >> std::ws, rest);
      for (std::size_t i = 0; i < parcels.size(); ++i) {
        if (parcels[i].file.filename() != name) continue;
        Delivery& one = ends[i];
        one.name = word == "second" ? parcels[i].second : name;
        one.end = word == "new"      ? DeliveryEnd::kDelivered
                  : word == "there"  ? DeliveryEnd::kThere
                  : word == "second" ? DeliveryEnd::kSecondName
                                     : DeliveryEnd::kFailed;
        if (word == "failed") one.problem = printable(rest);
      }
    }
    std::string reason = printable(stopped);
    if (reason.empty() && !is_finished) reason = last_said(outcome.error_tail);
    if (outcome.code == 127 && !host_.empty()) reason = "expected the program ssh, found none";
    if (reason.empty()) reason = is_finished ? "it did not arrive" : describe_end(spec, outcome);
    return failed(std::move(ends), reason);
  }

  /// `reason`: of those that have none of their own.
  static std::vector<Delivery> failed(std::vector<Delivery> ends, const std::string& reason) {
    for (Delivery& one : ends)
      if (one.end == DeliveryEnd::kFailed && one.problem.empty()) one.problem = reason;
    return ends;
  }

  std::string host_, folder_;
  Sender sender_;
};

}  // namespace

std::unique_ptr<DeliveryPlace> shell_place(const std::string& host, const std::string& folder, const Sender& sender) {
  return std::make_unique<ShellPlace>(host, folder, sender);
}

}  // namespace lab::app
