// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much of a model's work is said to have got slow.
#include "insight/report/LostWork.h"

#include <catch2/catch.hpp>

using namespace lh;

static ProfiledNode node(const std::string &name, double operations,
                         double seconds, std::vector<std::string> with = {}) {
  ProfiledNode made;
  made.node = name;
  made.operations = operations;
  made.seconds = seconds;
  made.with = std::move(with);
  made.nests = 1;
  return made;
}

static ProfiledResult profile(std::vector<ProfiledNode> nodes) {
  ProfiledResult made;
  made.nodes = std::move(nodes);
  return made;
}

static const std::vector<NodeWork> work = {
    {"conv", "", 80, 0, ""}, {"relu", "", 5, 0, ""}, {"pool", "", 15, 0, ""}};

TEST_CASE("work is lost where a node has less than half of its speed",
          "[lost-work]") {
  ProfiledResult before =
      profile({node("conv", 80, 8), node("relu", 5, 1), node("pool", 15, 1)});
  auto lost = [&](double conv, double pool) {
    return lostWork(work, before,
                    profile({node("conv", 80, conv), node("relu", 5, 1),
                             node("pool", 15, pool)}));
  };
  CHECK(lost(8, 1) == 0.0);
  CHECK(lost(15, 1) == 0.0);
  CHECK(lost(17, 1) == 0.8);
  CHECK(lost(8, 2.5) == 0.15);
  CHECK(lost(80, 10) == Approx(0.95));
}

TEST_CASE("a fused node has the speed of the loops that compute it",
          "[lost-work]") {
  ProfiledResult fused =
      profile({node("conv", 85, 8.5, {"relu"}), node("pool", 15, 1)});
  ProfiledResult apart =
      profile({node("conv", 80, 8), node("relu", 5, 2), node("pool", 15, 1)});
  CHECK(lostWork(work, fused, apart) == 0.05);
  CHECK(lostWork(work, apart, fused) == 0.0);
}

TEST_CASE("what isn't found in both profiles isn't guessed at", "[lost-work]") {
  ProfiledResult whole =
      profile({node("conv", 80, 8), node("relu", 5, 1), node("pool", 15, 1)});
  ProfiledResult withoutRelu =
      profile({node("conv", 80, 80), node("pool", 15, 1)});
  ProfiledResult withoutPool =
      profile({node("conv", 80, 80), node("relu", 5, 1)});
  CHECK(lostWork(work, whole, withoutRelu) == 0.8);
  CHECK_FALSE(lostWork(work, whole, withoutPool));
  CHECK_FALSE(lostWork(work, withoutPool, whole));
  CHECK_FALSE(lostWork({}, whole, whole));
}
