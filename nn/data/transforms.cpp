#include <ordo/nn/data/transforms.h>

#include <utility>

#include <ordo/autograd/grad_mode.h>
#include <ordo/engine/calls/check.h>

namespace ordo::data {

static TransformList checked_list(const char* op, TransformList transforms) {
  for (size_t k = 0; k < transforms.size(); ++k)
    ORDO_CHECK(transforms[k], ValueError, op, "transform {} is a null pointer", k);
  return transforms;
}

Compose::Compose(TransformList transforms) {
  does([all = checked_list("Compose", std::move(transforms))](const Tensor& image, Draws& draws) {
    Tensor changed = image;
    for (size_t k = 0; k < all.size(); ++k) {
      Draws own = draws.child(k);
      changed = all[k]->apply(changed, own);
    }
    return changed;
  });
}

RandomApply::RandomApply(TransformList transforms, double p) {
  Compose all(std::move(transforms));
  ORDO_CHECK(p >= 0 && p <= 1, ValueError, "RandomApply", "needs a probability from 0 to 1, not {}", p);
  does([all = std::move(all), p](const Tensor& image, Draws& draws) {
    return draws.chance(p) ? all.apply(image, draws) : image;
  });
}

RandomChoice::RandomChoice(TransformList transforms) {
  TransformList all = checked_list("RandomChoice", std::move(transforms));
  ORDO_CHECK(!all.empty(), ValueError, "RandomChoice", "needs at least one transform");
  does([all = std::move(all)](const Tensor& image, Draws& draws) {
    const auto k = size_t(draws.below(int(all.size())));
    Draws own = draws.child(k);
    return all[k]->apply(image, own);
  });
}

TransformedDataset::TransformedDataset(Handle<const Dataset> base, TransformList transforms,
                                       TransformedDatasetOptions options)
    : base_(std::move(base)), transforms_(std::move(transforms)), options_(options) {
  ORDO_CHECK(base_, ValueError, "TransformedDataset", "needs a data set, given a null pointer");
}

Sample TransformedDataset::get_in_epoch(int64_t i, int64_t epoch) const {
  Sample sample = base_->get_in_epoch(i, epoch);
  ORDO_CHECK(options_.tensor >= 0 && options_.tensor < int64_t(sample.size()), IndexError, "TransformedDataset",
             "transforms tensor {} of samples of {} tensors", options_.tensor, sample.size());
  NoGrad guard;
  Draws draws = Draws::of_sample(options_.seed, epoch, i);
  Tensor& image = sample[size_t(options_.tensor)];
  image = transforms_.apply(image, draws);
  return sample;
}

}  // namespace ordo::data
