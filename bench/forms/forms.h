// The forms of `atomic` and `exact`, each on its own, for forms.cpp. Internal.
#pragma once

#include <ordo/kernels/accumulate/atomic/atomic_plan.h>
#include <ordo/kernels/accumulate/exact/exact_plan.h>
#include <ordo/kernels/accumulate/keyed_items.h>

namespace ordo::bench {

using FormItems = kernels::RowItems<float>;

void accumulate_as(const kernels::cuda::ExactPlan& plan, const FormItems& items, float* output,
                   const kernels::AccumulateShape& shape);
void accumulate_as(const kernels::cuda::AtomicPlan& plan, const FormItems& items, float* output,
                   const kernels::AccumulateShape& shape);

}  // namespace ordo::bench
