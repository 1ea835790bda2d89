/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "parameters.h"

#include <cmath>
#include <nlohmann/json.hpp>

using nlohmann::json;

Parameters::Parameters(const json& object, std::string where)
  : m_object(std::make_shared<json>(object)),
    m_where(std::move(where)),
    m_read(std::make_shared<std::set<std::string>>())
{
  if (!object.is_object())
    Refuse("an object with names and values is wanted");
}

Parameters::Parameters()
  : Parameters(json::object(), "")
{
}

const json*
Parameters::Find(const std::string& key) const
{
  m_read->insert(key);
  auto found = m_object->find(key);
  return found == m_object->end() || found->is_null() ? nullptr : &*found;
}

bool
Parameters::Has(const std::string& key) const
{
  return Find(key) != nullptr;
}

bool
Parameters::IsText(const std::string& key) const
{
  const json* value = Find(key);

  return value != nullptr && value->is_string();
}

double
Parameters::Number(const std::string& key, double absent) const
{
  const json* value = Find(key);

  if (value == nullptr)
    return absent;
  if (!value->is_number())
    Refuse(key + " is not a number");
  return value->get<double>();
}

uint64_t
Parameters::Count(const std::string& key, uint64_t absent) const
{
  double number = Number(key, static_cast<double>(absent));

  if (!(number >= 0.0) || number != std::floor(number) || number > 9e15)
    Refuse(key + " is not a whole number of 0 or more");
  return static_cast<uint64_t>(number);
}

bool
Parameters::Flag(const std::string& key, bool absent) const
{
  const json* value = Find(key);

  if (value == nullptr)
    return absent;
  if (!value->is_boolean())
    Refuse(key + " is not true or false");
  return value->get<bool>();
}

std::string
Parameters::Text(const std::string& key, const std::string& absent) const
{
  const json* value = Find(key);

  if (value == nullptr)
    return absent;
  if (!value->is_string())
    Refuse(key + " is not a text");
  return value->get<std::string>();
}

std::vector<double>
Parameters::Numbers(const std::string& key) const
{
  const json* value = Find(key);
  std::vector<double> numbers;

  if (value == nullptr)
    return numbers;
  if (!value->is_array())
    Refuse(key + " is not a list of numbers");
  for (const json& item : *value) {
    if (!item.is_number())
      Refuse(key + " is not a list of numbers");
    numbers.push_back(item.get<double>());
  }
  return numbers;
}

std::vector<std::pair<double, double>>
Parameters::Pairs(const std::string& key) const
{
  const json* value = Find(key);
  std::vector<std::pair<double, double>> pairs;

  if (value == nullptr)
    return pairs;
  if (!value->is_array())
    Refuse(key + " is not a list of pairs of numbers");
  for (const json& item : *value) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_number() || !item[1].is_number())
      Refuse(key + " is not a list of pairs of numbers");
    pairs.emplace_back(item[0].get<double>(), item[1].get<double>());
  }
  return pairs;
}

Parameters
Parameters::Part(const std::string& key) const
{
  const json* value = Find(key);

  return Parameters(value == nullptr ? json::object() : *value, m_where + ": " + key);
}

std::vector<Parameters>
Parameters::Parts(const std::string& key) const
{
  const json* value = Find(key);
  std::vector<Parameters> parts;

  if (value == nullptr)
    return parts;
  if (!value->is_array())
    Refuse(key + " is not a list");
  for (const json& item : *value)
    parts.emplace_back(item, m_where + ": " + key + " " + std::to_string(parts.size()));
  return parts;
}

std::pair<double, double>
Parameters::Range(const std::string& key, double absent) const
{
  const json* value = Find(key);

  if (value == nullptr || value->is_number()) {
    double number = Number(key, absent);
    return {number, number};
  }
  std::vector<double> ends = Numbers(key);
  if (ends.size() != 2 || ends[0] > ends[1])
    Refuse(key + " is neither a number nor [low, high]");
  return {ends[0], ends[1]};
}

void
Parameters::RefuseUnread() const
{
  for (const auto& item : m_object->items())
    if (m_read->count(item.key()) == 0)
      Refuse("there is no parameter '" + item.key() + "'");
}

void
Parameters::Refuse(const std::string& what) const
{
  throw DescriptionError(m_where.empty() ? what : m_where + ": " + what);
}
