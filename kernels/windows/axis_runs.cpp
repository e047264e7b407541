#include <ordo/kernels/windows/axis_runs.h>

#include <algorithm>

namespace ordo::kernels {

AxisRun AxisRun::transposed() const {
  if (at_step >= 0) return {at, at_step, place, place_step, count};
  return {at + (count - 1) * at_step, -at_step, place + (count - 1) * place_step, -place_step, count};
}

AxisRuns::AxisRuns(int64_t places, int64_t most) : places_(places), most_(most) {
  for (int64_t begin = 0; begin < places; begin += kRunBlock)
    blocks_.push_back({begin, std::min(places, begin + kRunBlock), {}});
}

void AxisRuns::add(AxisRun run) {
  while (run.count > 0) {
    RunBlock& block = blocks_[size_t(run.place / kRunBlock)];
    const int64_t room = run.place_step == 0 ? run.count : (block.end - run.place - 1) / run.place_step + 1;
    const int64_t count = std::min(run.count, room);
    block.runs.push_back({run.place - block.begin, run.place_step, run.at, run.at_step, count});
    run.place += count * run.place_step;
    run.at += count * run.at_step;
    run.count -= count;
  }
}

ReadLists::ReadLists(const AxisRuns& runs, int64_t scale) : start_(size_t(runs.places()) + 1) {
  const auto each = [&](const auto& f) {
    for (const RunBlock& block : runs.blocks())
      for (const AxisRun& r : block.runs)
        for (int64_t i = 0; i < r.count; ++i) f(size_t(block.begin + r.place + i * r.place_step), r.at + i * r.at_step);
  };
  each([&](size_t place, int64_t) { ++start_[place + 1]; });
  for (size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  reads_.resize(size_t(start_.back()));
  std::vector<int64_t> next = start_;
  each([&](size_t place, int64_t at) { reads_[size_t(next[place]++)] = at * scale; });
}

AxisRun element_run(const WindowAxis& a, int64_t k) {
  const int64_t shift = k * a.dilation - a.padding;
  const int64_t first = shift >= 0 ? 0 : (a.stride - 1 - shift) / a.stride;
  const int64_t end = shift >= a.input ? 0 : std::min(a.output, (a.input - 1 - shift) / a.stride + 1);
  return {first, 1, first * a.stride + shift, a.stride, std::max<int64_t>(0, end - first)};
}

/// What `places` read at most `most` times each: outputs of cells or, transposed, cells of outputs. By runs of an element
/// of the kernel, or where these are short, of an output.
static AxisRuns runs_of(const WindowAxis& a, int64_t places, int64_t most, bool transposed) {
  AxisRuns runs(places, most);
  const auto add = [&](const AxisRun& run) { runs.add(transposed ? run.transposed() : run); };
  if (a.is_adaptive() || a.kernel > kRunBlock / a.stride)
    for (int64_t o = 0; o < a.output; ++o)
      add({o, 0, a.begin(o), a.dilation, (a.end(o) - a.begin(o) + a.dilation - 1) / a.dilation});
  else  // of two outputs that cover a cell, the later one has it as the earlier element
    for (int64_t k = 0; k < a.kernel; ++k) add(element_run(a, transposed ? a.kernel - 1 - k : k));
  return runs;
}

AxisRuns cells_of_outputs(const WindowAxis& axis) { return runs_of(axis, axis.output, axis.most_cells(), false); }
AxisRuns outputs_of_cells(const WindowAxis& axis) { return runs_of(axis, axis.input, axis.overlap(), true); }

}  // namespace ordo::kernels
