// A lesson's exercise in its page. The page has an element .live (data-code: the script with the compiled programs; programs.js runs them) and the
// texts as JSON in #live-texts: [{title, program, code, verdict}]. Without data-code they are [{title, code, verdict, said}], with what the check
// said elsewhere. ?check=TITLE&seed=N checks at once.
(() => {
  const box = document.querySelector('.live');
  if (!box) return;
  const texts = JSON.parse(document.getElementById('live-texts').textContent), kSeconds = 20, kSchedules = 20, recorded = !box.dataset.code;
  const verdicts = ['DONE', 'RACE', 'ORDER', 'WRONG RESULT', 'OUT OF BOUNDS', 'BARRIER', 'ATOMICS', 'SERIAL', 'HOST CODE', 'PREDICTION'];
  const add = (parent, name, attributes = {}, text = '') => {
    const e = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.textContent = text;
    return parent.appendChild(e);
  };
  const labelled = (text, name, attributes) => add(add(bar, 'label', {}, text + ' '), name, attributes);

  const bar = add(box, 'div', { class: 'live-bar' });
  const choice = labelled('Text', 'select'), seed = labelled('Schedule', 'input', { type: 'range', min: 0, max: kSchedules, value: 0 });
  const seedText = add(bar, 'output'), guess = labelled('I predict', 'select');
  const button = add(bar, 'button', { class: 'md-button md-button--primary' }, 'Check');
  const listing = add(box, 'pre', { class: 'live-code', tabindex: 0, 'aria-label': 'the text that is checked' });
  const verdict = add(box, 'p', { class: 'live-verdict', role: 'status' }), said = add(box, 'pre', { class: 'live-said' });
  const played = add(box, 'div', { class: 'live-played' });
  texts.forEach((text, i) => choice.add(new Option(text.title, i)));
  seed.parentElement.hidden = seedText.hidden = recorded;
  guess.add(new Option('nothing', ''));
  for (const word of new Set([...(recorded ? [] : verdicts), ...texts.map(t => t.verdict)])) guess.add(new Option(word));

  let run = null, stopPlaying = () => {};  // run: what ends the one that is under way
  const now = () => texts[choice.value];
  function show() {
    listing.replaceChildren();
    now().code.replace(/\n$/, '').split('\n').forEach((line, i) => {
      const row = add(listing, 'span', { class: 'live-line', id: 'live-line-' + (i + 1) });
      add(row, 'i', {}, String(i + 1));
      add(row, 'code', {}, line);
    });
    verdict.textContent = said.textContent = '';
    stopPlaying();
    stopPlaying = () => {};
    played.replaceChildren();
  }
  function showSeed() { seedText.textContent = seed.value === '0' ? 'all ' + kSchedules : 'seed ' + seed.value + ' only, played back'; }

  function end(word, text, recording = '') {
    run?.();
    run = null;
    button.textContent = 'Check';
    const guessed = guess.value && seed.value === '0' ? (guess.value === word ? ' You predicted it.' : ` You predicted ${guess.value}.`) : '';
    verdict.className = 'live-verdict ' + (word === 'DONE' ? 'live-done' : word === 'ONE SCHEDULE' ? '' : 'live-fault');
    verdict.textContent = text + guessed;
    box.dataset.verdict = word;
    const lines = new Set([...text.matchAll(/yours\.(?:cu|cpp):(\d+)/g)].map(m => m[1]));
    for (const row of listing.children) row.classList.toggle('live-named', lines.has(row.id.slice('live-line-'.length)));
    listing.querySelector('.live-named')?.scrollIntoView({ block: 'nearest' });
    const launches = [];
    for (const line of recording.split('\n').filter(Boolean)) {
      const item = JSON.parse(line);
      if (item.launch) launches.push({ ...item, kernel: 'kernel', events: [] });
      else if (Array.isArray(item)) launches.at(-1)?.events.push(item);
    }
    if (launches.some(l => l.events.length)) stopPlaying = window.ordoPlayback(played, launches.filter(l => l.events.length));
  }
  const isVerdict = line => /^(DONE$|[A-Z][A-Z ]+: )/.test(line), wordOf = line => line.match(/^[A-Z ]*[A-Z]/)[0];
  function answer(printed, notes, recording) {
    const last = printed.findLastIndex(isVerdict);
    said.textContent = printed.slice(0, Math.max(last, 0)).concat(notes).join('\n');
    const text = last < 0 ? 'CRASH: the program ended before its check did' : printed.slice(last).join('\n');
    end(wordOf(text), text, recording);
  }
  function check() {
    if (run) return end('STOPPED', 'Stopped.');
    show();
    delete box.dataset.verdict;
    if (recorded) {
      const lines = now().said.split('\n'), found = lines.find(isVerdict);
      said.textContent = lines.filter(line => line !== found).join('\n');
      return end(wordOf(found), found);
    }
    const began = performance.now(), printed = [];
    button.textContent = 'Stop';
    verdict.textContent = 'Runs …';
    let stop = () => {};
    const mine = run = () => { clearTimeout(timer); stop(); };
    const timer = setTimeout(() => end('ENDLESS LOOP', `ENDLESS LOOP: stopped after ${kSeconds} seconds.`), kSeconds * 1000);
    window.ordoRun(box.dataset.code, 'run_program', [now().program, Number(seed.value)], data => {
      if (mine !== run) return;
      if (data.line !== undefined) printed.push(data.line);
      if (data.status === undefined) return;
      answer(printed, [`(${Math.round(performance.now() - began)} ms)`], data.recording);
    }).then(ends => mine === run ? stop = ends : ends(), error => end('ERROR', 'ERROR: ' + error.message));
  }
  choice.onchange = () => {
    if (run) end('STOPPED', 'Stopped.');
    show();
  };
  seed.oninput = showSeed;
  button.onclick = check;
  showSeed();
  show();
  window.ordoCheck = (title, number) => {
    choice.value = Math.max(0, texts.findIndex(t => t.title === title));
    seed.value = number;
    showSeed();
    check();
  };
  const asked = new URLSearchParams(location.search);
  if (asked.has('check')) window.ordoCheck(asked.get('check'), asked.get('seed') || 0);
})();
