// The first screen: trains twice on an emulated GPU, with the switch off or on, and draws both losses. The page has an element
// .live-switch (data-code: the script with the program).
(() => {
  const box = document.querySelector('.live-switch');
  if (!box) return;
  const kSteps = 160, kWide = 560, kHigh = 250, kLeft = 44, kBottom = 26;
  const make = window.ordoMake;
  box.replaceChildren();
  const bar = make(box, 'div', { class: 'live-bar' }), label = make(bar, 'label', {}, 'use_deterministic_algorithms(');
  const on = make(label, 'input', { type: 'checkbox', id: 'live-on' }), word = make(label, 'code', {}, 'false');
  label.append(')');
  const again = make(bar, 'button', { class: 'md-button' }, 'Train twice again');
  const svg = make(box, 'svg', { viewBox: `0 0 ${kWide} ${kHigh}`, role: 'img', 'aria-label': 'the losses of two trainings by step' });
  const verdict = make(box, 'p', { class: 'live-verdict', role: 'status' }), hashes = make(box, 'div', { class: 'live-hashes' });
  const x = step => kLeft + (kWide - kLeft - 8) * step / kSteps, y = loss => 8 + (kHigh - kBottom - 8) * (1 - (Math.log10(Math.min(Math.max(loss, .05), 20)) + 1.3) / 2.6);
  for (const loss of [.1, 1, 10]) {
    make(svg, 'path', { d: `M${kLeft} ${y(loss)}H${kWide - 8}`, class: 'live-grid' });
    make(svg, 'text', { x: kLeft - 6, y: y(loss) + 4, 'text-anchor': 'end' }, String(loss));
  }
  make(svg, 'text', { x: kLeft, y: kHigh - 6 }, 'loss by step, logarithmic');
  make(svg, 'text', { x: kWide - 8, y: kHigh - 6, 'text-anchor': 'end' }, `${kSteps} steps`);
  const curves = [0, 1].map(i => make(svg, 'path', { class: 'live-curve live-curve-' + i }));
  let round = 0, stops = [];

  async function sha256(bits) {
    const bytes = new Uint8Array(bits.match(/.{8}/g).flatMap(word => [3, 2, 1, 0].map(i => parseInt(word.slice(2 * i, 2 * i + 2), 16))));
    return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(b => b.toString(16).padStart(2, '0')).join('');
  }
  function train(mine, seed, curve) {
    return new Promise((resolve, reject) => {
      const losses = [];
      let weights;
      window.ordoRun(box.dataset.code, 'train', [Number(on.checked), seed, kSteps], data => {
        if (mine !== round) return;
        if (data.line?.startsWith('loss ')) {
          losses.push(Number(data.line.slice(5)));
          curve.setAttribute('d', 'M' + losses.map((loss, step) => `${x(step).toFixed(1)} ${y(loss).toFixed(1)}`).join('L'));
        }
        if (data.line?.startsWith('weights ')) weights = data.line.slice(8);
        if (data.status !== undefined) weights ? resolve({ losses, weights }) : reject(new Error(data.line || 'the training has ended early'));
      }).then(stop => mine === round ? stops.push(stop) : stop(), reject);
    });
  }
  async function trainTwice() {
    const mine = ++round, began = performance.now();
    for (const stop of stops.splice(0)) stop();
    delete box.dataset.done;
    word.textContent = String(on.checked);
    verdict.className = 'live-verdict';
    verdict.textContent = 'Trains twice …';
    hashes.replaceChildren();
    for (const curve of curves) curve.setAttribute('d', '');
    try {
      const runs = await Promise.all(curves.map((curve, i) => train(mine, 2 * mine + i, curve)));
      // Pages that came without encryption, from another machine, have no SHA-256.
      const sums = crypto.subtle ? await Promise.all(runs.map(run => sha256(run.weights))) : [];
      if (mine !== round) return;
      const differs = runs[0].losses.findIndex((loss, step) => loss !== runs[1].losses[step]), equal = runs[0].weights === runs[1].weights;
      verdict.classList.add(equal ? 'live-done' : 'live-fault');
      verdict.textContent = equal ? 'One model: every bit of both trainings is the same.' : `Two models: the losses differ from step ${differs + 1} on.`;
      sums.forEach((sum, i) => make(make(hashes, 'p', {}, `Training ${i + 1}, SHA-256 of its weights: `), 'code', { class: 'live-hash-' + i }, sum.slice(0, 16)));
      make(hashes, 'p', { class: 'live-small' }, `Computed in this page in ${Math.round(performance.now() - began)} ms: Ordo's kernels on an emulated GPU, whose threads run in another order each time.`);
      Object.assign(box.dataset, { done: String(on.checked), hashes: sums.join(' ') });
    } catch (error) {
      if (mine !== round) return;
      verdict.textContent = 'It cannot run here: ' + error.message;
      box.dataset.done = 'error';
    }
  }
  on.onchange = again.onclick = trainTwice;
  trainTwice();
})();
