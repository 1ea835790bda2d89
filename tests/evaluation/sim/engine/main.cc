/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrc-sim DESCRIPTION FOLDER: simulates the run that the JSON file describes
 * ("-": standard input) and writes its results into FOLDER.
 * Exits with 0; 2 and one sentence when the description is wrong. */
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "topology.h"

namespace {

std::string
ReadText(const std::string& name)
{
  std::ostringstream text;
  std::ifstream file;

  if (name != "-") {
    file.open(name);
    if (!file)
      throw DescriptionError(name + " cannot be read");
  }
  text << (name == "-" ? std::cin : file).rdbuf();
  return text.str();
}

void
Simulate(const std::string& name, const std::string& folder)
{
  auto before = std::chrono::steady_clock::now();
  RunDescription run = ReadDescription(ReadText(name));

  std::filesystem::create_directories(folder);
  Recorder recorder(run, folder);
  Topology topology(run, recorder);
  uint64_t events = topology.Run();
  std::chrono::duration<double> wall = std::chrono::steady_clock::now() - before;
  recorder.Write(wall.count(), events);
}

} // namespace

int
main(int argc, char** argv)
{
  if (argc != 3) {
    std::cerr << "usage: tfrc-sim DESCRIPTION FOLDER\n";
    return 2;
  }
  try {
    Simulate(argv[1], argv[2]);
  } catch (const DescriptionError& error) {
    std::cerr << "tfrc-sim: " << error.what() << "\n";
    return 2;
  } catch (const std::filesystem::filesystem_error& error) {
    std::cerr << "tfrc-sim: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
