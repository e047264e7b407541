#include "tools/ordo/playback_page.h"

#include <fmt/format.h>
#include <ordo/engine/files.h>
#include <ordo/ordo.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "tools/ordo/escaped.h"
#include "tools/ordo/page.h"

namespace {

using Json = nlohmann::ordered_json;

// Rows are threads, columns the events of the launch in their order. What has happened by the chosen step is drawn.
constexpr const char* kPage = R"html(
<style>
:root { --run: #9aa3b2; --wait: #5b6ee1; --add: #c0392b; --done: #2e8b57; }
.bar { display: flex; flex-wrap: wrap; gap: .6em; align-items: center; margin: .6em 0; } #places :is(th, td:not(:nth-child(2))) { white-space: nowrap; } .bar input[type=range] { flex: 1 1 12em; min-width: 8em; }
select { max-width: 100%; } button, select { font: inherit; padding: .2em .7em; }
#board { overflow: auto; max-height: 60vh; border: 1px solid var(--line); margin: 1em 0; } #board svg { width: auto; flex: none; display: block; }
#board { display: flex; } #board svg:first-child { position: sticky; left: 0; background: Canvas; }
#board text { font: 12px ui-monospace, monospace; fill: currentColor; } #now { min-height: 3em; font-weight: 600; }
.key span { white-space: nowrap; margin-right: 1.2em; } .key b { display: inline-block; width: .8em; height: .8em; margin-right: .4em; }
</style>
<p class="key"><span><b style="background:var(--run)"></b>runs</span> <span><b style="background:var(--add)"></b>changes a
place atomically</span> <span><b style="background:var(--wait)"></b>waits</span> <span><b style="background:var(--done)"></b>has
ended</span></p>
<div class="bar"><label for="launch">Launch</label> <select id="launch"></select></div>
<div class="bar"><button id="back" aria-label="one step back">&lt;</button> <button id="play">play</button>
<button id="on" aria-label="one step on">&gt;</button> <label for="step">step</label> <input id="step" type="range" min="0" value="0"></div>
<p id="now" aria-live="polite"></p>
<div id="board" tabindex="0" role="region" aria-label="threads by time"></div>
<h2>Who has added when, place by place</h2>
<div class="wide"><table id="places"></table></div>
<p>The sum of floating-point numbers in a place depends on this order; another seed gives another one.</p>
<script id="data" type="application/json">@DATA@</script>
<script>
const launches = JSON.parse(document.getElementById('data').textContent), at = id => document.getElementById(id);
const kColumn = 10, kRow = 18, kLeft = 4, kNames = 90, kMostColumns = 4000;
let current, timer = null;
// Texts of the recording become nodes of text and values of attributes, never markup.
function add(parent, name, attributes = {}, text = '') {
  const svg = name === 'svg' || parent.namespaceURI.endsWith('svg'), e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.textContent = text;
  return parent.appendChild(e);
}
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
const picture = launches.findIndex(l => l.events.some(e => e[0] === 'atomic'));
at('launch').value = Math.max(picture, 0);
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
</script>
)html";

[[noreturn]] void refuse(const std::string& file, int64_t line, const char* why) {
  throw ordo::DataError(
      fmt::format("[show] {}, line {}: {}; a recording is made with ORDO_EMULATOR_RECORD=FILE, in a build with "
                  "the emulator",
                  file, line, why));
}

bool is_event(const Json& e) {
  static const std::map<std::string, size_t> kLengths{{"run", 3},     {"end", 3},  {"open", 3},
                                                      {"barrier", 4}, {"warp", 4}, {"atomic", 6}};
  if (!e.is_array() || e.size() < 3 || !e[0].is_string() || !e[1].is_number_unsigned() || !e[2].is_number_unsigned())
    return false;
  const auto known = kLengths.find(e[0].get<std::string>());
  if (known == kLengths.end() || e.size() != known->second || e[2].get<uint64_t>() >= 1024) return false;
  if (e.size() == 4) return e[3].is_string();
  return e.size() == 3 || (e[3].is_number_unsigned() && e[4].is_string() && e[5].is_string());
}

}  // namespace

std::string playback_page(const std::string& file) {
  ordo::detail::expect_file("show", file);
  std::ifstream in(file);
  Json launches = Json::array();
  std::string line, cut;
  for (int64_t number = 1; std::getline(in, line); ++number) {
    Json item = Json::parse(line, nullptr, false);
    if (number == 1) {
      if (!item.is_object() || item.value("format", Json()) != "ordo recording" || item.value("version", Json()) != 1)
        refuse(file, number, "this is not a recording of version 1");
    } else if (item.is_object() && item.contains("cut")) {
      cut = fmt::format("<p>The recording ends after {} events; the rest of the run is not in it.</p>\n",
                        escaped(item["cut"].dump()));
    } else if (item.is_object() && item.contains("launch")) {
      for (const char* key : {"kernel", "grid", "block", "seed", "order"})
        if (!item.contains(key)) refuse(file, number, "the launch is not whole");
      if (!item["kernel"].is_string()) refuse(file, number, "the kernel has no name");
      if (!item["grid"].is_array() || !item["block"].is_array()) refuse(file, number, "the launch has no geometry");
      item["events"] = Json::array();
      launches.push_back(std::move(item));
    } else if (is_event(item) && !launches.empty()) {
      launches.back()["events"].push_back(std::move(item));
    } else {
      refuse(file, number, "this is no event");
    }
  }
  Json played = Json::array();
  for (Json& launch : launches)
    if (!launch["events"].empty()) played.push_back(std::move(launch));
  if (played.empty()) refuse(file, 1, "no launch has been recorded");
  std::string data;
  for (char c : played.dump()) data += c == '<' ? std::string("\\u003c") : std::string(1, c);  // cannot end the script
  std::string page = kPage;
  page.replace(page.find("@DATA@"), 6, data);
  return html_page(
      fmt::format("{} launch{} on the emulator, played back", played.size(), played.size() == 1 ? "" : "es"),
      cut + page);
}
