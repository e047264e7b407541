#include <ordo/kernels/sparse/sparse.h>
#include <ordo/kernels/reduce/each_cuda.cuh>

namespace ordo::kernels::cuda {

void places_of(const PlaceOfCoordinates& f, Device device) { each(f.items, f, device); }
void check_rows(const CheckRow& f, Device device) { each(f.rows, f, device); }

}  // namespace ordo::kernels::cuda
