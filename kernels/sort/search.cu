#include <ordo/engine/dispatch.h>
#include <ordo/kernels/sort/search_elements.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void search(const SearchArgs& a) {
  dispatch_all("searchsorted", a.dtype, [&]<class T>() { each(a.count, SearchElement<T>{a}, a.device); });
}
void find_bins(const BinArgs& a) {
  dispatch_floating("histc", a.dtype, [&]<class T>() { each(a.count, BinElement<T>{a}, a.device); });
}

}  // namespace ordo::kernels::cuda
