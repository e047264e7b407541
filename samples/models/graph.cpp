// A graph network: nodes of four communities, their neighbours more often of the same one, learn which is theirs. One
// layer adds neighbours by a sparse product, the other takes their mean by scatter. Kipf, Welling, "Semi-supervised
// classification with graph convolutional networks", 2017.
#include "samples/models/example.h"

namespace examples {
namespace {

constexpr int64_t kNodes = 64, kNeighbours = 6, kCommunities = 4, kFeatures = 8;

struct Net : nn::ModuleOf<Net> {
  explicit Net(Scale scale)
      : own1(add("own1", nn::Linear(kFeatures, scale.of(32)))),
        other1(add("other1", nn::Linear(kFeatures, scale.of(32), {.bias = false}))),
        own2(add("own2", nn::Linear(scale.of(32), kCommunities))),
        other2(add("other2", nn::Linear(scale.of(32), kCommunities, {.bias = false}))) {}
  /// Node features [n, features] and edges [2, m], each from a node to another: scores [n, communities].
  Tensor forward(const Tensor& nodes, const Tensor& edges) {
    const int64_t n = nodes.size(0), m = edges.size(1);
    const Tensor weight = full({m}, 1.0 / kNeighbours, {nodes.dtype(), nodes.device()});
    const SparseCoo near = sparse_coo_tensor(edges, weight, {n, n});
    const Tensor hidden = relu(own1(nodes) + sparse_mm(near, other1(nodes)));
    const Tensor sent = other2(hidden).index_select(0, edges.select(0, 1));
    const Tensor to = edges.select(0, 0).unsqueeze(1).expand({m, kCommunities});
    return own2(hidden) + scatter_reduce(zeros_like(own2(hidden)), 0, to, sent, Reduce::mean, false);
  }
  nn::Linear own1, other1, own2, other2;
};

class Graph : public Example {
 public:
  explicit Graph(Scale scale) : net_(scale) {}
  nn::ModuleBase& model() override { return net_; }

  /// Graphs: features [n, features], neighbours [n, neighbours] and communities [n] of their nodes.
  TensorList draw(int64_t rows, uint64_t seed) const override {
    Generator centres(0x67a9), random(seed);  // the communities are those of every set
    const Tensor centre = randn({kCommunities, kFeatures}, {}, &centres);
    const Tensor community = randint(kCommunities, {rows, kNodes}, {int64}, &random);
    const Tensor features = centre.index({community}) + randn({rows, kNodes, kFeatures}, {}, &random) * 2.5;
    // Three in four are drawn from the own community: those come first in this order.
    const Tensor order = argsort((community.unsqueeze(2) != community.unsqueeze(1)).to(float32) +
                                 rand({rows, kNodes, kNodes}, {}, &random) * 0.9);
    const Tensor anybody = randint(kNodes, {rows, kNodes, kNeighbours}, {int64}, &random);
    const Tensor own = rand({rows, kNodes, kNeighbours}, {}, &random) < 0.75;
    return {features, where(own, order.narrow(2, 0, kNeighbours), anybody), community};
  }

  Tensor loss(const TensorList& batch) override { return cross_entropy(scores(batch), batch[2].flatten()); }
  double score(const TensorList& batch) override { return part_of(scores(batch).argmax(1) == batch[2].flatten()); }

 private:
  /// The graphs of a batch are one graph without edges between them.
  Tensor scores(const TensorList& batch) {
    const int64_t graphs = batch[0].size(0);
    const Tensor first = (arange(graphs) * kNodes).to(batch[0].device());
    const Tensor from = (batch[1] + first.reshape({graphs, 1, 1})).flatten();
    const Tensor to = repeat_interleave(arange(graphs * kNodes).to(batch[0].device()), kNeighbours);
    return net_(batch[0].flatten(0, 1), stack({to, from}, 0));
  }
  Net net_;
};

}  // namespace

extern const Entry kGraph = {"graph",
                             "a graph network that finds the communities of nodes, by sparse products and scatter",
                             "nodes that are right",
                             1024,
                             16,
                             5e-3,
                             [](Scale scale) -> std::unique_ptr<Example> { return std::make_unique<Graph>(scale); }};

}  // namespace examples
