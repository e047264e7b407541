// Plays a recording of the emulator (ORDO_EMULATOR_RECORD): ordoPlayback(ELEMENT, LAUNCHES) fills the element, and returns what stops it.
window.ordoPlayback = (root, launches) => {
const at = id => root.querySelector('#' + id);
const kColumn = 10, kRow = 18, kLeft = 4, kNames = 90, kMostColumns = 4000;
let current, timer = null;
// Texts of the recording become nodes of text and values of attributes, never markup.
function add(parent, name, attributes = {}, text = '') {
  const svg = name === 'svg' || parent.namespaceURI.endsWith('svg'), e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.textContent = text;
  return parent.appendChild(e);
}
root.replaceChildren();
const keys = add(root, 'p', { class: 'keys' });
for (const [colour, text] of [['#9aa3b2', 'runs'], ['#c0392b', 'changes a place atomically'], ['#5b6ee1', 'waits'], ['#2e8b57', 'has ended']])
  add(add(keys, 'span'), 'b', { style: 'background:' + colour }).after(text);
const choice = add(root, 'div', { class: 'bar' }), bar = add(root, 'div', { class: 'bar' });
add(choice, 'label', { for: 'launch' }, 'Launch');
add(choice, 'select', { id: 'launch' });
add(bar, 'button', { id: 'back', 'aria-label': 'one step back' }, '<');
add(bar, 'button', { id: 'play' }, 'play');
add(bar, 'button', { id: 'on', 'aria-label': 'one step on' }, '>');
add(bar, 'label', { for: 'step' }, 'step');
add(bar, 'input', { id: 'step', type: 'range', min: 0, value: 0 });
add(root, 'p', { id: 'now', 'aria-live': 'polite' });
add(root, 'div', { id: 'board', tabindex: 0, role: 'region', 'aria-label': 'threads by time' });
add(root, 'h2', {}, 'Who has added when, place by place');
add(add(root, 'div', { class: 'scroll' }), 'table', { class: 'texts', id: 'places' });
add(root, 'p', {}, 'The sum of floating-point numbers in a place depends on this order; another seed gives another one.');
const named = e => 'block ' + e[1] + ' thread ' + e[2];
function amount(e) { const d = Number(e[5]) - Number(e[4]); return Number.isFinite(d) ? Number(d.toPrecision(4)) : '?'; }
function told(e) {
  if (!e) return 'Nothing has run yet.';
  const who = named(e);
  return { run: who + ' runs', end: who + ' has ended', open: who + ' is the last at the barrier: all of block ' + e[1] + ' go on',
    barrier: who + ' waits at the barrier ' + e[3], warp: who + ' waits for its warp ' + e[3],
    atomic: who + ' changes place ' + e[3] + ' by ' + amount(e) + ': ' + e[4] + ' becomes ' + e[5] }[e[0]];
}
function open(index) {
  const l = launches[index], rows = [...new Set(l.events.map(e => e[1] * 1024 + e[2]))].sort((a, b) => a - b);
  current = { events: l.events.slice(0, kMostColumns), rowOf: new Map(rows.map((r, i) => [r, i])), rows };
  at('step').max = current.events.length;
  const wide = kLeft + kColumn * (current.events.length + 1), high = kRow * (rows.length + 1);
  at('board').replaceChildren();
  const names = add(at('board'), 'svg', { width: kNames, height: high, role: 'img', 'aria-label': 'blocks and threads' });
  rows.forEach((r, i) => add(names, 'text', { x: 4, y: kRow * i + 13 }, 'b' + (r >> 10) + ' t' + (r & 1023)));
  const label = `${rows.length} threads and ${current.events.length} steps of ${l.kernel}`;
  const svg = add(at('board'), 'svg', { width: wide, height: high, role: 'img', 'aria-label': label });
  rows.forEach((r, i) => add(svg, 'path', { d: `M${kLeft} ${kRow * (i + .5)}H${wide}`, stroke: '#8883' }));
  const since = new Map();
  current.events.forEach((e, i) => {
    const row = current.rowOf.get(e[1] * 1024 + e[2]), x = kLeft + kColumn * i, y = kRow * row, key = e[1] + '.' + e[2];
    const mark = (name, fill, place) => add(svg, name, { ...place, fill, 'data-step': i + 1 });
    const box = (fill, x, y, width, height) => mark('rect', fill, { x, y, width, height });
    if (since.has(key) && e[0] === 'run') { box('#5b6ee1', since.get(key), y + 7, x - since.get(key), 4); since.delete(key); }
    if (e[0] === 'barrier' || e[0] === 'warp') { box('#5b6ee1', x, y + 3, 8, 12); since.set(key, x + 8); }
    if (e[0] === 'run') box('#9aa3b2', x, y + 5, 8, 8);
    if (e[0] === 'atomic') mark('circle', '#c0392b', { cx: x + 4, cy: y + 9, r: 5 });
    if (e[0] === 'end') box('#2e8b57', x, y + 3, 5, 12);
    if (e[0] === 'open') { const of = rows.map((r, k) => [r, k]).filter(p => p[0] >> 10 === e[1]).map(p => p[1]);
      box('#5b6ee1', x + 3, kRow * of[0], 2, kRow * of.length); }
  });
  add(svg, 'path', { id: 'cursor', d: `M0 0V${high}`, stroke: 'currentColor', 'stroke-width': 1 });
  show(current.events.length);
}
function show(step) {
  const e = current.events[step - 1], board = at('board');
  at('step').value = step;
  at('now').textContent = 'Step ' + step + ' of ' + current.events.length + ': ' + told(e) + '.';
  for (const m of board.querySelectorAll('[data-step]')) m.style.opacity = m.dataset.step <= step ? 1 : .12;
  const x = kLeft + kColumn * step;
  at('cursor').setAttribute('transform', `translate(${x} 0)`);
  const shown = board.clientWidth - kNames;
  if (x < board.scrollLeft || x > board.scrollLeft + shown) board.scrollLeft = x - shown / 2;
  const y = e ? kRow * current.rowOf.get(e[1] * 1024 + e[2]) : 0;  // the thread that runs stays in view
  if (y < board.scrollTop || y + kRow > board.scrollTop + board.clientHeight) board.scrollTop = y - board.clientHeight / 2;
  const places = new Map();
  for (const a of current.events.slice(0, step)) if (a[0] === 'atomic') places.set(a[3], [...(places.get(a[3]) || []), a]);
  at('places').replaceChildren();
  const line = (cell, texts) => { const row = add(at('places'), 'tr'); for (const text of texts) add(row, cell, {}, text); };
  line('th', ['place', 'changes, in order', 'value']);
  for (const [place, list] of [...places].sort((a, b) => a[0] - b[0]).slice(0, 200))
    line('td', [place, list.map(a => 'b' + a[1] + ' t' + a[2] + ': ' + amount(a)).join(', '), list.at(-1)[5]]);
}
function stop() { clearInterval(timer); timer = null; at('play').textContent = 'play'; }
launches.forEach((l, i) => at('launch').add(new Option(`${l.launch}: ${l.kernel}, grid ${l.grid.join(' x ')}, block ${l.block.join(' x ')}, seed ${l.seed}`, i)));
// First the launch in which most happens: atomic operations, else barriers.
const weight = l => l.events.reduce((sum, e) => sum + ({ atomic: 1000, barrier: 10, warp: 10 }[e[0]] || 1), 0);
at('launch').value = launches.reduce((best, l, i) => weight(l) > weight(launches[best]) ? i : best, 0);
at('launch').onchange = () => { stop(); open(at('launch').value); };
at('step').oninput = () => { stop(); show(Number(at('step').value)); };
at('back').onclick = () => { stop(); show(Math.max(0, at('step').value - 1)); };
at('on').onclick = () => { stop(); show(Math.min(current.events.length, Number(at('step').value) + 1)); };
at('play').onclick = () => {
  if (timer) return stop();
  let step = Number(at('step').value) % current.events.length;
  at('play').textContent = 'stop';
  timer = setInterval(() => { show(++step); if (step >= current.events.length) stop(); }, 120);
};
open(at('launch').value);
return stop;
};
