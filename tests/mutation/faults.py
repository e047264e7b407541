"""Small faults for mutate.py: in `file`, `before` (which occurs exactly once) becomes `after`."""


# Tests that are tried first, by the beginning of the file's path. The others run when none of these fails.
FIRST = {
    "kernels/accumulate/": "*index_add*:*scatter_add*:*bincount*:*Accumulate*:*embedding*",
    "kernels/reduce/": "*/sum:*/mean:*/amax:*/argmin:*/var:*/max:*/norm:*batch_norm*",
    "kernels/matmul/": "*/matmul:*/bmm:*/linear:*Matmul*",
    "kernels/copy/": "*/contiguous:*/clone:*/copy_:*/permute:*/transpose:*Copy*",
    "kernels/softmax/": "*softmax*",
    "kernels/bincount/": "*bincount*:*Bincount*",
    "kernels/pooling/": "*pool2d*:*Pool*",
    "kernels/embedding_bag/": "*embedding_bag*:*EmbeddingBag*",
    "kernels/conv2d/": "*conv2d*:*Conv2d*",
    "kernels/random/": "*/rand:*/randn:*/uniform_:*/dropout:*Random*",
    "engine/cuda/": "*Cuda*:*Simt*:*Streams*:*Stream*:*IndexCheck*:*Tensor*",
}


def fault(name, file, before, after):
    first = next((tests for path, tests in FIRST.items() if file.startswith(path)), "*")
    return {"name": name, "file": file, "before": before, "after": after, "first": first}


ACCUMULATE = "kernels/accumulate/accumulate_cuda.cuh"
SORTED = "kernels/accumulate/sorted_cuda.cuh"
EXACT = "kernels/accumulate/exact.h"
EXACT_CUDA = "kernels/accumulate/exact_cuda.cuh"
ATOMIC = "kernels/accumulate/atomic_cuda.cuh"
ATOMIC_MERGE = "kernels/accumulate/atomic_merge_cuda.cuh"
RUNS = "kernels/accumulate/runs_cuda.cuh"
RUN_BUILDER = "kernels/accumulate/runs.cu"
REDUCE = "kernels/reduce/reduce_cuda.cuh"
GEMM = "kernels/matmul/gemm_ordered.cu"
COPY = "kernels/copy/copy.cu"
CELLS = "kernels/pooling/cells.h"
BAG = "kernels/embedding_bag/embedding_bag.cu"
FOLD_CPU = "kernels/accumulate/fold_cpu.h"

FAULTS = [
    # -- the accumulate engine on CUDA
    fault("short run: skips its last item", SORTED,
          "sum += item_value(items, shape, runs.items[i], o, j);\n    T& out",
          "if (i + 1 < last) sum += item_value(items, shape, runs.items[i], o, j);\n    T& out"),
    fault("short run: forgets the old content", SORTED,
          "T& out = output[shape.offset(d, o, j)];\n    out = T(Acc(out) + sum);",
          "T& out = output[shape.offset(d, o, j)];\n    out = T(sum);"),
    fault("short run: adds the old content first", SORTED,
          "    Acc sum = item_value(items, shape, runs.items[first], o, j);\n"
          "    for (int64_t i = first + 1; i < last; ++i) sum += item_value(items, shape, runs.items[i], o, j);\n"
          "    T& out = output[shape.offset(d, o, j)];\n    out = T(Acc(out) + sum);",
          "    T& out = output[shape.offset(d, o, j)];\n    Acc sum = Acc(out);\n"
          "    for (int64_t i = first; i < last; ++i) sum += item_value(items, shape, runs.items[i], o, j);\n"
          "    out = T(sum);"),
    fault("short run: one of exactly a group is nobody's", SORTED,
          "if (last - first > kOrderedGroup || d >= shape.destinations) continue;",
          "if (last - first >= kOrderedGroup || d >= shape.destinations) continue;"),
    fault("short run: folded from its end", SORTED,
          "    Acc sum = item_value(items, shape, runs.items[first], o, j);\n"
          "    for (int64_t i = first + 1; i < last; ++i) sum += item_value(items, shape, runs.items[i], o, j);\n"
          "    T& out",
          "    Acc sum = item_value(items, shape, runs.items[last - 1], o, j);\n"
          "    for (int64_t i = last - 2; i >= first; --i) sum += item_value(items, shape, runs.items[i], o, j);\n"
          "    T& out"),
    fault("groups: one reaches into the next run", SORTED,
          "const int64_t last = std::min(group.begin + kOrderedGroup, group.run_end);",
          "const int64_t last = std::min(group.begin + kOrderedGroup, items.count);"),
    fault("levels: every group begins one", SORTED,
          "if ((group.begin - group.run_begin) % wide != 0) continue;", ""),
    fault("levels: the last group is left out", SORTED,
          "begin < last; begin += span)", "begin + span < last; begin += span)"),
    fault("levels: a group reaches beyond its run", SORTED,
          "const int64_t last = std::min(group.begin + wide, group.run_end);",
          "const int64_t last = std::min(group.begin + wide, items);"),
    fault("atomic in place of sorted", ACCUMULATE,
          "if (algorithm == Algorithm::atomic) return accumulate_atomic(items, output, shape, stream);",
          "return accumulate_atomic(items, output, shape, stream);"),
    fault("atomic: lanes merge in one round only", ATOMIC_MERGE,
          "} while (__any_sync(kAllLanes, later != 0));", "} while (false);"),
    fault("atomic: the lanes that have passed their sums on stay, the others leave", ATOMIC_MERGE,
          "__ballot_sync(kAllLanes, number % 2 == 0)", "__ballot_sync(kAllLanes, number % 2 != 0)"),
    fault("atomic: a replaced frequent sum is lost", ATOMIC_MERGE,
          "full = often_key_;", "full = kNowhere;"),
    fault("atomic: lanes of one destination in different columns merge", ATOMIC,
          "const int64_t offset = to != kNowhere ? to * rows.shape.inner + inner : kNowhere;",
          "const int64_t offset = to;"),
    fault("atomic: the sum of a team's hot destination is lost", ATOMIC,
          "if (hot != kNowhere) pass_on(", "if (false) pass_on("),
    fault("atomic: teams of one warp", ATOMIC,
          "warps(units / std::gcd(units, 32))", "warps(1)"),
    fault("atomic: no barrier before a block's sums are added", ATOMIC,
          "GlobalSink<Sum>{sums});\n  __syncthreads();", "GlobalSink<Sum>{sums});"),
    fault("sort: one bit too few", RUN_BUILDER,
          "const int bits = std::bit_width(uint64_t(destinations_));",
          "const int bits = std::bit_width(uint64_t(destinations_)) - 1;"),
    fault("sort: items enter it backwards", RUNS,
          "keys[i] = Index(d < 0 ? destinations : d);\n    order[i] = Index(i);",
          "keys[items.count - 1 - i] = Index(d < 0 ? destinations : d);\n    order[items.count - 1 - i] = Index(i);"),
    fault("runs: the first one has no head", RUN_BUILDER,
          "heads[i] = i == 0 || keys[i] != keys[i - 1];", "heads[i] = i > 0 && keys[i] != keys[i - 1];"),
    fault("runs: the last one has no end", RUN_BUILDER,
          "if (i == count - 1) start[number[i]] = Index(count);", "if (i == count) start[number[i]] = Index(count);"),
    fault("runs: looks before the first key", RUN_BUILDER,
          "heads[i] = i == 0 || keys[i] != keys[i - 1];", "heads[i] = keys[i] != keys[i - 1] || i == 0;"),
    fault("group slots: two groups share one", RUNS, "return 2 * (begin / span) + begins_run;",
          "return 2 * (begin / span);"),
    fault("group slots: half as many", RUNS, "return 2 * ((items + span - 1) / span); }",
          "return (items + span - 1) / span; }"),
    fault("skipped items are not left out", SORTED,
          "if (last - first > kOrderedGroup || d >= shape.destinations) continue;",
          "if (last - first > kOrderedGroup) continue;"),
    # -- exact sums
    fault("exact: one bit of headroom too few", EXACT, "return int(std::bit_width(uint64_t(items))); }",
          "return int(std::bit_width(uint64_t(items))) - 1; }"),
    fault("exact: ties away from even", EXACT, "(rest == half && (kept & 1) != 0)", "rest == half"),
    fault("exact: a subnormal result keeps too many bits", EXACT,
          "const int last = normal > F::quantum ? normal : F::quantum;", "const int last = normal;"),
    fault("exact: -inf counts as +inf", EXACT, "v == -kInfinity ? exact_detail::kMinusInfinity : 0;",
          "v == -kInfinity ? 1 : 0;"),
    fault("exact: the old content is left out of the magnitude", EXACT_CUDA,
          "cells.magnitudes[c] = exact_magnitude(float(output[c]));", "cells.magnitudes[c] = 0;"),
    fault("exact: the block does not wait for its cells", EXACT_CUDA,
          "if constexpr (kPass == ExactPass::sums) shared[c] = 0;\n  }\n  __syncthreads();",
          "if constexpr (kPass == ExactPass::sums) shared[c] = 0;\n  }"),
    fault("exact: the magnitude is stored without an atomic", EXACT_CUDA,
          "        atomicMax(cells.magnitudes + c, magnitude);", "        cells.magnitudes[c] = magnitude;"),
    fault("CPU exact: a shared range forgets a piece", "kernels/accumulate/exact_cpu.h",
          "for (int p = 1; p < pieces; ++p) sums[c] =", "for (int p = 2; p < pieces; ++p) sums[c] ="),
    # -- the order itself
    fault("ordered sum: a full level is not folded", "kernels/accumulate/ordered_sum.h",
          "if ((groups & (kOrderedGroup - 1)) != 1) sum = levels_[level] + sum;\n      levels_[level] = sum;",
          "if ((groups & (kOrderedGroup - 1)) > 1) sum = levels_[level] + sum;\n      levels_[level] = sum;"),
    fault("ordered sum: a single whole group is counted twice", "kernels/accumulate/ordered_sum.h",
          "if (count_ <= kOrderedGroup) return sum_;",
          "if (count_ < kOrderedGroup) return sum_;\n    if (count_ == kOrderedGroup) return sum_ + levels_[0];"),
    fault("the choice takes atomic at every level", "kernels/accumulate/choose.cpp",
          "const bool any_order = order_free || !deterministic();", "const bool any_order = true;"),
    # -- reductions on CUDA
    fault("reduction across: no barrier within the halving", REDUCE,
          "tile[lane][x] = R::combine(tile[lane][x], tile[lane + half][x]);\n      __syncthreads();",
          "tile[lane][x] = R::combine(tile[lane][x], tile[lane + half][x]);"),
    fault("reduction across: columns beyond the row take part", REDUCE,
          "const bool active = t * 32 + x < row;", "const bool active = t * 32 + x <= row;"),
    fault("reduction: lanes are halved once too little", REDUCE,
          "for (int half = 16; half > 0; half /= 2) s = R::combine(s, shuffle_down(s, half));",
          "for (int half = 16; half > 1; half /= 2) s = R::combine(s, shuffle_down(s, half));"),
    fault("reduction: lanes combine the other way round", REDUCE,
          "for (int half = 16; half > 0; half /= 2) s = R::combine(s, shuffle_down(s, half));",
          "for (int half = 1; half < 32; half *= 2) s = R::combine(s, shuffle_down(s, half));"),
    fault("reduction: a lane forgets its last value", REDUCE,
          "for (; i < end; i += kReduceLanes) s = R::combine(s, load(i));",
          "for (; i + kReduceLanes < end; i += kReduceLanes) s = R::combine(s, load(i));"),
    fault("reduction: the last fold reads beyond the blocks", REDUCE,
          "end = begin + kReduceFold < count ? begin + kReduceFold : count;", "end = begin + kReduceFold;"),
    fault("reduction: the last block is left out", REDUCE,
          "for (int64_t i = 1; i < count; ++i) s = R::combine(s, v[i * step]);\n    r.store(o, s);",
          "for (int64_t i = 1; i < count - 1; ++i) s = R::combine(s, v[i * step]);\n    r.store(o, s);"),
    # -- other kernels on CUDA
    fault("matrix product: no barrier after loading", GEMM,
          "g.n - j0, depth);\n      __syncthreads();", "g.n - j0, depth);"),
    fault("matrix product: no barrier before loading again", GEMM,
          "b_square[k][x + c * kSide];\n      __syncthreads();", "b_square[k][x + c * kSide];"),
    fault("matrix product: blocks of the wrong depth", GEMM,
          "if (next % kOrderedBlock == 0 || next >= g.k) {", "if (next % (2 * kOrderedBlock) == 0 || next >= g.k) {"),
    fault("matrix product: reads a row too many", GEMM,
          "square[k][i] = i < extent && k < depth ?", "square[k][i] = i <= extent && k < depth ?"),
    fault("copy: no barrier before reading the tile", COPY,
          "+ row0 + x];\n    __syncthreads();", "+ row0 + x];"),
    fault("copy: no barrier before the tile is used again", COPY,
          "+ column0 + x] = tile[x][y];\n    __syncthreads();", "+ column0 + x] = tile[x][y];"),
    fault("softmax: only one lane gets the sum", "kernels/softmax/softmax.cu",
          "return __shfl_sync(0xffffffffu, blocks.result(), 0);", "return blocks.result();"),
    fault("bincount: half of the lanes have a say in the range", "kernels/bincount/bincount.cu",
          "for (int offset = 16; offset > 0; offset /= 2) {", "for (int offset = 16; offset > 1; offset /= 2) {"),
    fault("max pooling: a cell misses the last window of a line", CELLS,
          "for (int64_t ow = w_begin; ow < w_end; ++ow) {\n      const int64_t o = oh",
          "for (int64_t ow = w_begin; ow + 1 < w_end; ++ow) {\n      const int64_t o = oh"),
    fault("max pooling: the last maximum wins", CELLS, "if (v > best || v != v) {\n        best = v;\n        index",
          "if (v >= best || v != v) {\n        best = v;\n        index"),
    fault("average pooling: windows that a stride skips are counted", CELLS,
          "if (!windows.h.covers(oh, ih)) continue;", ""),
    fault("average pooling: atomic in place of gather", "kernels/pooling/avg_pool_cuda.cuh",
          "if (algorithm == Algorithm::atomic) {", "if (algorithm != Algorithm::automatic) {"),
    fault("bags: the padding row is counted", BAG,
          "if (!check.ok(i, row, rows) || row == bags.padding) continue;\n      row_of[i] = row;",
          "if (!check.ok(i, row, rows)) continue;\n      row_of[i] = row;"),
    fault("bags: items left out keep what memory held", BAG,
          "launch_over(device, bags.items, embedding_bag_no_row_kernel, row_of, bags.items);",
          "if (bags.items < 0) launch_over(device, bags.items, embedding_bag_no_row_kernel, row_of, bags.items);"),
    fault("convolution: the fold goes through the window backwards", "kernels/conv2d/conv2d.cu",
          "for (int64_t u = 0; u < s.kernel_h; ++u) {\n      const int64_t down = line",
          "for (int64_t u = s.kernel_h - 1; u >= 0; --u) {\n      const int64_t down = line"),
    fault("convolution: the gradient of the last sample is lost", "kernels/conv2d/conv2d.cu",
          "for (int64_t n = first ? 1 : 0; n < samples; ++n)", "for (int64_t n = first ? 1 : 0; n + 1 < samples; ++n)"),
    fault("random numbers: every block draws the same", "kernels/random/random.cu",
          "philox(seed, stream, offset + uint64_t(block));", "philox(seed, stream, offset);"),
    fault("fill: the last element is left out", "engine/cuda/fill.cu", "for (int64_t i = thread_index(); i < n;",
          "for (int64_t i = thread_index(); i + 1 < n;"),
    # -- streams and errors
    fault("streams: one does not wait for the other", "engine/cuda/stream.cpp",
          'check(cudaStreamWaitEvent(handle_, other.event_, 0), "event");', ""),
    fault("index errors: recorded without the lock", "engine/cuda/index_record.cuh",
          "while (atomicCAS(&record->lock, 0u, 1u) != 0u) __nanosleep(64);\n  __threadfence();", ""),
    fault("index errors: the last position wins", "engine/cuda/index_record.cuh",
          "if (r->ticket > ticket || (r->ticket == ticket && r->position > position)) {",
          "if (r->ticket > ticket || (r->ticket == ticket && r->position < position)) {"),
    # -- the CPU
    fault("CPU sort: pieces change places", "kernels/accumulate/sort_cpu.cpp",
          "for (int p = 0; p < pieces; ++p) position +=", "for (int p = pieces - 1; p >= 0; --p) position +="),
    fault("CPU fold: cut anywhere in a run", FOLD_CPU,
          "start + (at - start + kOrderedGroup - 1) / kOrderedGroup * kOrderedGroup);", "at);"),
    fault("CPU fold: a split run loses its last group", FOLD_CPU,
          "for (int64_t g = 0; g < groups; ++g) sum.push(", "for (int64_t g = 0; g + 1 < groups; ++g) sum.push("),
    fault("CPU dense sums: a group is one value longer", "kernels/accumulate/dense_sums_cpu.h",
          "if (++open[d] == kOrderedGroup) [[unlikely]]", "if (open[d]++ == kOrderedGroup) [[unlikely]]"),
    fault("CPU dense filter: the hot destination is summed twice", "kernels/accumulate/dense_filter_cpu.h",
          "int64_t(place < width) & int64_t(d != hot_one);", "int64_t(place < width);"),
    fault("CPU dense filter: groups of the hot destination change places", "kernels/accumulate/dense_filter_cpu.h",
          "for (Acc sum : {a, b, c, d}) sum_.push_group(sum);", "for (Acc sum : {b, a, c, d}) sum_.push_group(sum);"),
    fault("CPU atomic: a thread's own output is not added", "kernels/accumulate/atomic_cpu.h",
          "for (int c = 0; c < used.load(", "for (int c = 1; c < used.load("),
    fault("CPU dense rows: levels change places with the sum", "kernels/accumulate/dense_rows_cpu.h",
          "if (groups % kOrderedGroup != 1)\n        for", "if (groups % kOrderedGroup > 1)\n        for"),
    fault("CPU: atomic in place of ordered", "kernels/accumulate/accumulate_cpu.h",
          "if (algorithm == Algorithm::atomic) return accumulate_detail::accumulate_atomic(items, output, shape);",
          "return accumulate_detail::accumulate_atomic(items, output, shape);"),
]
