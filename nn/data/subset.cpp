#include <ordo/nn/data/subset.h>

#include <algorithm>
#include <utility>

#include <ordo/engine/calls/check.h>
#include <ordo/nn/data/sampler.h>

namespace ordo::data {

Subset::Subset(Handle<const Dataset> dataset, std::vector<int64_t> indices)
    : dataset_(std::move(dataset)), indices_(std::move(indices)) {
  ORDO_CHECK(dataset_, ValueError, "Subset", "needs a data set, given a null pointer");
  const int64_t n = dataset_->size();
  for (int64_t i : indices_) expect_sample("Subset", i, n);
}

Sample Subset::get_in_epoch(int64_t i, int64_t epoch) const {
  expect_sample("Subset", i, size());
  return dataset_->get_in_epoch(indices_[size_t(i)], epoch);
}

ConcatDataset::ConcatDataset(std::vector<Handle<const Dataset>> datasets) : datasets_(std::move(datasets)) {
  ORDO_CHECK(!datasets_.empty(), ValueError, "ConcatDataset", "needs at least one data set");
  int64_t end = 0;
  for (const auto& dataset : datasets_) {
    ORDO_CHECK(dataset, ValueError, "ConcatDataset", "needs data sets, given a null pointer");
    ends_.push_back(end += dataset->size());
  }
}

Sample ConcatDataset::get_in_epoch(int64_t i, int64_t epoch) const {
  expect_sample("ConcatDataset", i, size());
  const auto k = size_t(std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin());
  return datasets_[k]->get_in_epoch(i - (k ? ends_[k - 1] : 0), epoch);
}

std::vector<Subset> random_split(Handle<const Dataset> dataset, const std::vector<int64_t>& lengths,
                                 Generator generator) {
  const char* op = "random_split";
  ORDO_CHECK(dataset, ValueError, op, "needs a data set, given a null pointer");
  const int64_t n = dataset->size();
  int64_t left = n;
  for (int64_t length : lengths) {
    ORDO_CHECK(length >= 0 && length <= left, ValueError, op, "cannot take a part of {} from the {} samples left",
               length, left);
    left -= length;
  }
  ORDO_CHECK(left == 0, ValueError, op, "the lengths leave {} of {} samples over", left, n);
  const std::vector<int64_t> order = permutation(n, generator);
  std::vector<Subset> parts;
  auto at = order.begin();
  for (int64_t length : lengths) {
    parts.emplace_back(dataset, std::vector<int64_t>(at, at + length));
    at += length;
  }
  return parts;
}

}  // namespace ordo::data
