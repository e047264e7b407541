// ordo scale: the tree over shards at many virtual processes, with the nodes that each of them would send; and what a
// step would take by a simple model of the network.
#include <ordo/engine/distributed/reduction_tree.h>
#include <ordo/ordo.h>

#include <cmath>

#include "tools/ordo/cli.h"
#include "tools/ordo/say.h"

namespace {

using namespace ordo;
using distributed::PartRange;
using distributed::TreeFold;

struct Options {
  int64_t shards = 1024, elements = 1000;
  uint64_t seed = 1;
  double megabytes = 400, latency = 5, bandwidth = 10, step = 0.5;
};

Tensor sum_of(Tensor left, const Tensor& right) { return left.add_(right); }

/// Gradients of a shard: of mixed size, so that the order of a sum shows.
Tensor gradient_of(int64_t shard, const Options& o) {
  Generator generator(o.seed, uint64_t(shard));
  return randn({o.elements}, {}, &generator) * exp(randn({o.elements}, {}, &generator) * 3.0);
}

struct Outcome {
  Tensor sum;
  int64_t most_nodes = 0, most_shards = 0;  // of a process
};

Outcome in_tree(int64_t ranks, const Options& o) {
  Outcome out;
  TreeFold<Tensor> whole(o.shards);
  for (int64_t r = 0; r < ranks; ++r) {
    const PartRange own = distributed::shards_of(o.shards, r, ranks);
    TreeFold<Tensor> part(o.shards, own);
    for (int64_t s = own.first; s < own.last; ++s) part.push({0, s}, gradient_of(s, o), sum_of);
    out.most_nodes = std::max(out.most_nodes, int64_t(part.nodes().size()));
    out.most_shards = std::max(out.most_shards, own.count());
    for (auto& [node, value] : part.nodes()) whole.push(node, value, sum_of);
  }
  out.sum = whole.nodes()[0].second;
  return out;
}

/// As a ring adds: each process its own shards, then one process after the other.
Tensor in_ring(int64_t ranks, const Options& o) {
  Tensor sum;
  for (int64_t r = 0; r < ranks; ++r) {
    const PartRange own = distributed::shards_of(o.shards, r, ranks);
    Tensor part = gradient_of(own.first, o);
    for (int64_t s = own.first + 1; s < own.last; ++s) part.add_(gradient_of(s, o));
    sum = sum.defined() ? sum_of(sum, part) : part;
  }
  return sum;
}

std::string hash(const Tensor& t) { return sha256_hex({t}).substr(0, 12); }

void scale(const Options& o) {
  const NoGrad guard;
  const DeterminismGuard level(Determinism::device_to_device);
  say("Gradients of {} elements in {} shards, added up by virtual processes.\n\n", o.elements, o.shards);
  say("  processes  shards of one  arrays sent  tree          by ranks, as a ring\n");
  std::vector<int64_t> counts;
  for (int64_t n = 1; n < o.shards; n *= 4) {
    counts.push_back(n);
    if (n + n / 2 + 1 < o.shards) counts.push_back(n + n / 2 + 1);
  }
  counts.push_back(o.shards);
  std::string first;
  bool same = true;
  for (const int64_t n : counts) {
    const Outcome out = in_tree(n, o);
    const std::string bits = hash(out.sum);
    if (first.empty()) first = bits;
    same = same && bits == first;
    say("  {:>9}  {:>13}  {:>11}  {}  {}\n", n, out.most_shards, out.most_nodes, bits, hash(in_ring(n, o)));
  }
  if (!same) throw ExitStatus(1, "the sums differ");
  say("\nOne sum, whatever the number of processes.\n");

  const double bytes = o.megabytes * 1e6, alpha = o.latency * 1e-6, beta = 1 / (o.bandwidth * 1e9);
  say("\nPrediction, not a measurement: {} MB of gradients, {} us a message, {} GB/s a process in each direction,\n"
      "{} s to compute each of {} shards; nothing overlaps.\n\n",
      o.megabytes, o.latency, o.bandwidth, o.step, o.shards);
  say("  processes  MB sent by one  messages  exchange ms  step ms  efficiency\n");
  for (const int64_t n : counts) {
    double nodes = 0;  // of the process that has the most
    for (int64_t r = 0; r < n; ++r)
      nodes = std::max(nodes, double(distributed::roots_of(o.shards, distributed::shards_of(o.shards, r, n)).size()));
    const double part = double(n - 1) / double(n);
    const double sent = n == 1 ? 0 : (nodes + 1) * part * bytes;
    const double messages = n == 1 ? 0 : double(n - 1) * (nodes + 1) + std::ceil(std::log2(double(n)));
    const double exchange = sent * beta + messages * alpha;
    const double compute = o.step * double((o.shards + n - 1) / n);
    say("  {:>9}  {:>14.0f}  {:>8.0f}  {:>11.1f}  {:>7.0f}  {:>9.2f}%\n", n, sent / 1e6, messages, exchange * 1e3,
        (compute + exchange) * 1e3, 100 * o.step * double(o.shards) / double(n) / (compute + exchange));
  }
}

std::function<void()> add_scale(Arguments arguments) {
  static Options o;
  arguments.add("--shards", o.shards, "parts of a batch; at most so many processes")
      .with_default()
      .range(1, distributed::kMostShards);
  arguments.add("--elements", o.elements, "of the gradients that are added").with_default().positive();
  arguments.add("--seed", o.seed).with_default();
  arguments.add("--megabytes", o.megabytes, "of gradients, for the prediction").with_default();
  arguments.add("--latency", o.latency, "microseconds of a message").with_default();
  arguments.add("--bandwidth", o.bandwidth, "GB/s of a process in each direction").with_default();
  arguments.add("--step", o.step, "seconds to compute a shard").with_default();
  return [] { scale(o); };
}

}  // namespace

const Command kScale{"scale", "The order of sums at many virtual processes, and what a step would take", add_scale};
