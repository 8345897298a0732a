/// SQLite with sticky errors, like a stream's: after the first error every call does nothing, and the caller checks
/// once at the end. One connection is for one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace lab::results {

class Database;

/// A prepared statement. Parameters count from 1 in the order of the statement's question marks, columns from 0.
class Statement {
 public:
  Statement& bind(std::int64_t value);
  Statement& bind(double value);  ///< NaN is stored as NULL
  Statement& bind(std::string_view value);

  /// Steps to the next row; false if there is none. After the last row, or an error, binding restarts at parameter 1.
  bool next();
  /// Runs a statement that returns no rows.
  void run();

  std::int64_t integer(int column) const;
  double real(int column) const;       ///< NULL is NaN
  std::string text(int column) const;  ///< NULL is ""
  bool null(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };

  void note(int code);

  Database* database_ = nullptr;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int parameter_ = 0;
};

class Database {
 public:
  enum class Mode { kReadOnly, kReadWrite };

  /// kReadWrite creates a missing file. A path of "" is a database in memory.
  Database(const std::filesystem::path& path, Mode mode);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  void run(std::string_view statements);
  Statement prepare(std::string_view statement);
  std::int64_t integer(std::string_view query);  ///< first column of the first row; 0 if there is none
  std::int64_t last_id() const;
  void wait_at_most(int milliseconds);  ///< for another process's transaction; a minute without this call
  /// Replaces the content with a copy of `other`.
  void copy(Database& other);

  bool failed() const { return !error_.empty(); }
  const std::string& error() const { return error_; }
  bool damaged() const { return damaged_; }  ///< it failed because the file is not a valid database

 private:
  friend class Statement;
  void note(int code);

  sqlite3* handle_ = nullptr;
  std::string error_;
  bool damaged_ = false;
};

}  // namespace lab::results
