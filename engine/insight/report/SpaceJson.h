// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run's manifest declares, as a part of its JSON report: its map can be
// drawn from that alone.
#ifndef LH_INSIGHT_REPORT_SPACEJSON_H
#define LH_INSIGHT_REPORT_SPACEJSON_H

#include "insight/map/SpaceMap.h"

#include <nlohmann/json_fwd.hpp>

namespace lh {

class JsonCursor;

nlohmann::ordered_json spaceJson(const MapSource &space);

/// What `spaceJson` wrote; errors go to the cursor's document.
MapSource spaceFrom(const JsonCursor &object);

} // namespace lh

#endif // LH_INSIGHT_REPORT_SPACEJSON_H
