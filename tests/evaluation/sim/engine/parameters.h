/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The free-form settings of a flow, a queue or a loss pattern: typed reading
 * with defaults, and the names that nobody has read (misspelt ones).
 *
 * Read every parameter while the object is set up, before time runs: what is
 * still unread then is refused. */
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/* What is wrong with a run's description, in one sentence. */
class DescriptionError : public std::runtime_error
{
public:
  using std::runtime_error::runtime_error;
};

class Parameters
{
public:
  /* `where` begins the sentences of errors, e.g. "flow tfrc". */
  Parameters(const nlohmann::json& object, std::string where);
  Parameters();

  bool Has(const std::string& key) const;
  bool IsText(const std::string& key) const;
  double Number(const std::string& key, double absent) const;
  /* At least 0. */
  uint64_t Count(const std::string& key, uint64_t absent) const;
  bool Flag(const std::string& key, bool absent) const;
  std::string Text(const std::string& key, const std::string& absent) const;
  std::vector<double> Numbers(const std::string& key) const;
  /* [[a, b], ...] */
  std::vector<std::pair<double, double>> Pairs(const std::string& key) const;
  /* A part that has its own names; empty when it is absent. */
  Parameters Part(const std::string& key) const;
  std::vector<Parameters> Parts(const std::string& key) const;
  /* A number, or [low, high]. */
  std::pair<double, double> Range(const std::string& key, double absent) const;

  /* Throws when a parameter was given that nobody read. */
  void RefuseUnread() const;
  /* Throws "<where>: <what>". */
  [[noreturn]] void Refuse(const std::string& what) const;
  const std::string& Where() const { return m_where; }

private:
  const nlohmann::json* Find(const std::string& key) const;

  std::shared_ptr<const nlohmann::json> m_object;
  std::string m_where;
  /* Shared by copies, so that the owner sees what the users have read. */
  std::shared_ptr<std::set<std::string>> m_read;
};
