// The order of a sum: finds it on an emulated GPU, for what is chosen, and draws its tree. The page has an element .live-sums
// (data-code: the script with the program).
(() => {
  const box = document.querySelector('.live-sums');
  if (!box) return;
  const kSeeds = 20, kWide = 720, kMargin = 16;
  const operations = ['index_add of rows', 'index_add of numbers', 'sum', 'matmul'], dtypes = ['float32', 'float64', 'int64'];
  const levels = ['not_guaranteed', 'run_to_run', 'device_to_device'];
  const make = window.ordoMake;
  const bar = make(box, 'div', { class: 'live-bar' });
  const select = (text, names) => {
    const e = make(make(bar, 'label', {}, text + ' '), 'select');
    names.forEach((name, i) => e.add(new Option(name, i)));
    return e;
  };
  const slider = (text, min, max, value) => {
    const label = make(bar, 'label', {}, text + ' '), e = make(label, 'input', { type: 'range', min, max, value }), shown = make(label, 'output');
    e.show = () => { shown.textContent = ' ' + e.value; };
    e.show();
    return e;
  };
  const operation = select('Operation', operations), level = select('Level', levels), dtype = select('dtype', dtypes);
  const size = slider('Values', 2, 64, 16), seed = slider('Schedule', 1, kSeeds, 1);
  const told = make(box, 'p', { class: 'live-verdict', role: 'status' });
  const picture = make(box, 'div', { class: 'live-tree', tabindex: 0, role: 'group', 'aria-label': 'the tree' }), results = make(box, 'div', { class: 'live-hashes' });

  /** The tree of `additions`, each a list of the nodes that it takes: values first, then earlier additions. */
  function draw(count, additions, old) {
    const children = [...Array(count).fill([]), ...additions], root = children.length - 1, heights = [], order = [];
    for (const of of children) heights.push(of.length ? 1 + Math.max(...of.map(c => heights[c])) : 0);
    for (const todo = [root]; todo.length;) {
      const node = todo.pop();
      if (node < count) order.push(node);
      todo.push(...[...children[node]].reverse());
    }
    const step = Math.min(44, (kWide - 2 * kMargin) / count), rise = Math.min(30, 400 / heights[root]), left = (kWide - step * count) / 2;
    const high = 44 + rise * heights[root] + 40;
    const svg = make(picture, 'svg', { viewBox: `0 0 ${kWide} ${high}`, role: 'img', 'aria-label': `the order of additions: ${heights[root]} steps deep` });
    const wires = make(svg, 'path', { class: 'live-wire' }), x = [], y = [], radius = Math.min(9, rise * .4, step * .4);
    let d = '';
    order.forEach((value, i) => {
      x[value] = left + step * (i + .5);
      y[value] = 34;
      make(svg, 'rect', { x: x[value] - step * .44, y: 8, width: step * .88, height: 26, rx: 3, class: 'live-value' });
      if (step >= 16) make(svg, 'text', { x: x[value], y: 26, 'text-anchor': 'middle' }, old && value === count - 1 ? 'old' : value);
    });
    for (let i = count; i <= root; ++i) {
      const own = children[i].map(c => x[c]);
      x[i] = (Math.min(...own) + Math.max(...own)) / 2;
      y[i] = 44 + rise * heights[i];
      for (const c of children[i]) d += `M${x[c].toFixed(1)} ${y[c].toFixed(1)}V${y[i].toFixed(1)}H${x[i].toFixed(1)}`;
      make(svg, 'circle', { cx: x[i].toFixed(1), cy: y[i].toFixed(1), r: radius.toFixed(1), class: 'live-plus' });
      if (radius >= 7) make(svg, 'text', { x: x[i].toFixed(1), y: (y[i] + 5).toFixed(1), 'text-anchor': 'middle', class: 'live-sign' }, '+');
    }
    wires.setAttribute('d', d + `M${x[root]} ${y[root]}V${high - 20}`);
    make(svg, 'text', { x: x[root], y: high - 5, 'text-anchor': 'middle' }, 'result');
    return heights[root];
  }

  function show(found, asked, ms) {
    const keyed = asked.operation < 2, count = asked.size + keyed, trees = found.kind === 'tree';
    box.classList.remove('live-old');
    picture.replaceChildren();
    results.replaceChildren();
    const depth = trees && draw(count, found.additions, keyed), by = found.algorithm ? ` by algorithm ${found.algorithm}` : '';
    const different = new Map();
    found.results.forEach(([bits, ulps], i) => different.set(bits, { ulps, seeds: [...(different.get(bits)?.seeds ?? []), i + 1] }));
    const shape = !trees ? '' : depth === count - 1 ? 'one after the other' : `a tree of depth ${depth}`;
    told.textContent = `${operations[asked.operation]}${by}: ` + (trees ? `${found.additions.length} addition${found.additions.length === 1 ? '' : 's'}, ${shape}. `
      : found.kind === 'unrounded' ? (asked.dtype === 2 ? 'integers have no order that can be seen. ' : 'no order can be seen, for nothing is rounded before the end. ')
      : found.why + '. ')
      + (different.size > 1 ? `${kSeeds} schedules give ${different.size} different results.`
        : `All ${kSeeds} schedules give the same bits.`);
    told.className = 'live-verdict ' + (different.size > 1 ? 'live-fault' : found.algorithm === 'atomic' && asked.dtype < 2 ? '' : 'live-done');
    for (const [bits, { ulps, seeds }] of different) {
      const line = make(results, 'p');
      make(line, 'code', {}, bits);
      const own = seeds.includes(asked.seed) ? ', that of the picture' : '';
      line.append(`, ${asked.dtype === 2 ? 'the true sum' : ulps.toFixed(2) + ' ulp from the true sum'}: ${different.size === 1 ? 'every schedule' : `schedule${seeds.length > 1 ? 's' : ''} ${seeds.join(', ')}${own}`}`);
    }
    let note = keyed ? '"old" is what the place holds before. ' : '';
    if (asked.operation === 0) note += 'Rows have 64 numbers; the picture is of one column. ';
    if (asked.operation === 1 && found.algorithm === 'atomic' && asked.dtype < 2) note += 'So few numbers are added by one block, whose threads keep one order; of rows, warps race. ';
    if (asked.operation === 3 && asked.level < 2 && asked.dtype < 2) note += 'On a GPU, cuBLAS computes products at this level; the picture is that of device_to_device. ';
    make(results, 'p', { class: 'live-small' }, `${note}Found from ${found.probes} sums in ${ms} ms, by Ordo's CUDA kernels on an emulated GPU in this page.`);
  }

  function fail(text) {
    picture.replaceChildren();
    results.replaceChildren();
    told.textContent = text;
    box.dataset.done = 'error';
  }

  let round = 0, stop = () => {}, timer;
  function look() {
    const mine = ++round, began = performance.now();
    const asked = { operation: Number(operation.value), size: Number(size.value), dtype: Number(dtype.value), level: Number(level.value), seed: Number(seed.value) };
    stop();
    stop = () => {};
    delete box.dataset.done;
    told.className = 'live-verdict';
    told.textContent = 'Adds …';
    box.classList.add('live-old');
    let line;
    window.ordoRun(box.dataset.code, 'look', Object.values(asked), data => {
      if (mine !== round) return;
      if (data.line?.startsWith('{')) line = data.line;
      if (data.status === undefined) return;
      stop();
      if (line) {
        show(JSON.parse(line), asked, Math.round(performance.now() - began));
        return Object.assign(box.dataset, { done: 'true', line });
      }
      fail(data.line || 'The sums have ended early.');
    }).then(ends => mine === round ? stop = ends : ends(), error => mine === round && fail('It cannot run here: ' + error.message));
  }
  for (const control of [operation, level, dtype, size, seed])
    control.oninput = () => {
      control.show?.();
      clearTimeout(timer);
      timer = setTimeout(look, 60);
    };
  look();
  window.ordoLook = (...values) => {
    [operation, size, dtype, level, seed].forEach((control, i) => {
      control.value = values[i];
      control.show?.();
    });
    look();
  };
})();
