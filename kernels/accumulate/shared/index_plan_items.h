// An index as items that have destinations only. Internal; shared by both devices.
#pragma once

#include <ordo/engine/tensor/devices.h>
#include <ordo/kernels/accumulate/index_plan.h>
#include <ordo/kernels/accumulate/index_view.h>

namespace ordo::kernels {

struct IndexItems {
  int64_t count;
  IndexView index;
  ORDO_HD int64_t destination(int64_t item) const { return index[item]; }
};

ORDO_DEVICES(std::shared_ptr<const IndexOrder>, order_index, const IndexItems& items, int64_t destinations,
             Device device)

}  // namespace ordo::kernels
