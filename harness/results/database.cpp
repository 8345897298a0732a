#include "harness/results/database.h"

#include <sqlite3.h>

#include <limits>

namespace lab::results {

namespace {

/// Time to wait for another process's transaction.
constexpr int kPatienceMs = 60'000;

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Statement::note(int code) {
  database_->note(code);
}

Statement& Statement::bind(std::int64_t value) {
  if (!database_->failed()) note(sqlite3_bind_int64(statement_.get(), ++parameter_, value));
  return *this;
}

Statement& Statement::bind(double value) {
  if (!database_->failed()) note(sqlite3_bind_double(statement_.get(), ++parameter_, value));
  return *this;
}

Statement& Statement::bind(std::string_view value) {
  // SQLITE_TRANSIENT is a C-style cast in SQLite's header.
  if (!database_->failed())
    note(sqlite3_bind_text64(statement_.get(), ++parameter_, value.data() == nullptr ? "" : value.data(), value.size(),
                             SQLITE_TRANSIENT, SQLITE_UTF8));
  return *this;
}

bool Statement::next() {
  if (database_->failed()) return false;
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) note(code);
  sqlite3_reset(statement_.get());
  parameter_ = 0;
  return false;
}

void Statement::run() {
  while (next()) {
  }
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

double Statement::real(int column) const {
  return null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* bytes = sqlite3_column_blob(statement_.get(), column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return bytes == nullptr ? "" : std::string(static_cast<const char*>(bytes), size);
}

bool Statement::null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

Database::Database(const std::filesystem::path& path, Mode mode) {
  const int flags = mode == Mode::kReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  note(sqlite3_open_v2(path.empty() ? ":memory:" : path.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr));
  if (!failed()) note(sqlite3_busy_timeout(handle_, kPatienceMs));
}

Database::~Database() {
  sqlite3_close_v2(handle_);
}

void Database::run(std::string_view statements) {
  if (!failed()) note(sqlite3_exec(handle_, std::string(statements).c_str(), nullptr, nullptr, nullptr));
}

Statement Database::prepare(std::string_view statement) {
  Statement prepared;
  prepared.database_ = this;
  sqlite3_stmt* made = nullptr;
  if (!failed())
    note(sqlite3_prepare_v2(handle_, statement.data(), static_cast<int>(statement.size()), &made, nullptr));
  prepared.statement_.reset(made);
  return prepared;
}

std::int64_t Database::integer(std::string_view query) {
  Statement statement = prepare(query);
  return statement.next() ? statement.integer(0) : 0;
}

std::int64_t Database::last_id() const {
  return sqlite3_last_insert_rowid(handle_);
}

void Database::wait_at_most(int milliseconds) {
  if (!failed()) note(sqlite3_busy_timeout(handle_, milliseconds));
}

void Database::copy(Database& other) {
  if (failed() || other.failed()) return;
  sqlite3_backup* backup = sqlite3_backup_init(handle_, "main", other.handle_, "main");
  if (backup != nullptr) {
    const int code = sqlite3_backup_step(backup, -1);
    sqlite3_backup_finish(backup);
    if (code != SQLITE_DONE) note(code);
  } else {
    note(sqlite3_errcode(handle_));
  }
}

void Database::note(int code) {
  if (code == SQLITE_OK || failed()) return;
  damaged_ = (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB;
  error_ = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_);
}

}  // namespace lab::results
