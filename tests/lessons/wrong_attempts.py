"""Attempts at lessons that are wrong in one way each: changes of a solution. The verdict must be of this kind, and name the line that has `line`."""

# lesson, name, text of the solution, text in its place, verdict, a part of the line that must be named ("" where there is none)
WRONG_ATTEMPTS = [
    (1, "wrong", "return v[0] + small;", "return v[0] + small + 1;", "WRONG RESULT", "float sum("),
    (1, "endless_on_the_host", "++i) small", "i += 0) small", "ENDLESS LOOP", "i += 0"),
    (2, "race", "atomicAdd(&sums[bin[i]], weight[i]);", "sums[bin[i]] += weight[i];", "RACE", "+= weight"),
    (2, "wrong", ", weight[i]);", ", 2 * weight[i]);", "WRONG RESULT", "2 * weight"),
    (2, "out_of_bounds", "&sums[bin[i]]", "&sums[bin[i] + 1]", "OUT OF BOUNDS", "bin[i] + 1"),
    (2, "endless", "if (i < n) atomicAdd(&sums", "while (i < n) atomicAdd(&sums", "ENDLESS LOOP", "while (i < n)"),
    (2, "endless_without_memory", "if (i < n) atomicAdd(&sums", "for (int k = 0; k < 1; k *= 2) {}\n  if (i < n) atomicAdd(&sums",
     "ENDLESS LOOP", "k *= 2"),
    (2, "spins", "if (i < n) atomicAdd(&sums", "while (*(volatile float*)sums < 1e9f) {}\n  if (i < n) atomicAdd(&sums", "ENDLESS LOOP",
     "volatile"),
    (2, "null", "&sums[bin[i]], weight", "(float*)nullptr, weight", "CRASH", "nullptr"),
    (2, "far_away", "&sums[bin[i]], weight", "&sums[bin[i] + (1l << 40)], weight", "CRASH", "1l << 40"),
    (2, "aborts", "if (i < n) atomicAdd(&sums", "if (i == 70) abort();\n  if (i < n) atomicAdd(&sums", "CRASH", "abort()"),
    (2, "divides_by_zero", ", weight[i]);", ", float(1 / (i - i)) * weight[i]);", "CRASH", "i - i"),
    (2, "exits", "if (i < n) atomicAdd(&sums", "if (i == 70) exit(0);\n  if (i < n) atomicAdd(&sums", "CRASH", ""),
    (2, "misspelt", ", weight[i]);", ", wieght[i]);", "DOES NOT COMPILE", "wieght"),
    (2, "no_function", "void histogram(", "void histogran(", "DOES NOT COMPILE", ""),
    (2, "nothing", "if (i < n) atomicAdd(&sums[bin[i]], weight[i]);", "(void)i;", "NOTHING DONE", ""),
    (3, "atomics", "own[t][bin[i]] += weight[i];", "atomicAdd(&own[t][bin[i]], weight[i]);", "ATOMICS", "  sums[b] = sum;"),
    (5, "device_size", "(n + 255) / 256", "multiprocessors()", "ORDER", "*total = sum;"),
    (6, "coarse", "(long long)(double(x) * 2097152.0)", "(long long)(double(x) * 1024.0) * 2048", "WRONG RESULT", "sums[threadIdx.x] ="),
    (7, "barrier_in_a_branch", "    __syncthreads();\n  }\n  const", "    if (t < half) __syncthreads();\n  }\n  const", "BARRIER", "if (t < half) __sync"),
    (7, "host_memory", "x, maximum, sum);", "x, maximum, new float[1000]);", "HOST MEMORY", "sum[blockIdx.x] = part[0]"),
]
