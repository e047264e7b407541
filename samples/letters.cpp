// Learns a sentence letter by letter with a recurrent network, then writes it. Prints the same lines on every run.
#include <ordo/ordo.h>

#include <cstdio>

using namespace ordo;
using namespace ordo::indexing;

struct Cell : nn::ModuleOf<Cell> {
  nn::Linear input = add("input", nn::Linear(32, 32)), state = add("state", nn::Linear(32, 32, {.bias = false}));
  Tensor forward(const Tensor& x, const Tensor& h) { return tanh(input(x) + state(h)); }
};

struct Network : nn::ModuleOf<Network> {
  nn::Embedding letters = add("letters", nn::Embedding(128, 32));
  nn::ModuleList<Cell> cells = add("cells", nn::ModuleList<Cell>{Cell(), Cell()});
  nn::Linear head = add("head", nn::Linear(32, 128));
  Network() { head.weight = letters.weight; }  // one table for reading and writing

  TensorList start(int64_t rows) const { return TensorList(size_t(cells.size()), zeros({rows, 32})); }
  /// A letter of every row and the cells' states; gives the scores of the next letter and the new states.
  std::pair<Tensor, TensorList> forward(const Tensor& letter, const TensorList& states) {
    TensorList next;
    Tensor x = letters(letter);
    for (Cell& cell : cells) next.push_back(x = cell(x, states[next.size()]));
    return {head(x), next};
  }
};

int main() {
  use_deterministic_algorithms(true);
  manual_seed(3);
  const std::string sentence = "the order of a sum shows in its last bits. ";
  const int64_t n = int64_t(sentence.size()), length = 12;
  const Tensor text = from_vector(std::vector<int64_t>(sentence.begin(), sentence.end()), n);
  // Row i holds the letters from i on, round the end.
  const Tensor windows = cat({text, text}, 0).index({arange(n).unsqueeze(1) + arange(length + 1)});

  Network network;
  optim::Adam optimizer(network.parameters(), {.lr = 1e-2});
  for (int step = 1; step <= 200; ++step) {
    Tensor loss = zeros({});
    TensorList states = network.start(n);
    for (int64_t i = 0; i < length; ++i) {
      auto [scores, next] = network(windows[{Slice(), i}], states);
      loss += cross_entropy(scores, windows[{Slice(), i + 1}]) / length;
      states = next;
    }
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 5 == 0) std::printf("step %3d  loss %.9g\n", step, loss.item());
    if (loss < 0.3) break;
  }

  NoGrad guard;
  Tensor letter = text[Slice(0, 1)];
  TensorList states = network.start(1);
  for (int64_t i = 0; i < n; ++i) {
    std::printf("%c", char(letter.item<int64_t>()));
    auto [scores, next] = network(letter, states);
    letter = scores.argmax(-1);
    states = next;
  }
  std::printf("\n");
}
