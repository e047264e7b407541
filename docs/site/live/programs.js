// Programs that run in pages: ordoProgram(SCRIPT) loads one, once, and ordoRun(SCRIPT, CALL, NUMBERS, ON) starts a worker that
// calls its function; ON gets {line}, then {status, recording}. Returns what stops it. A page opened as a file can load scripts
// and nothing else, so a program is a script that holds the text of the worker's. ordoMake(PARENT, NAME, ATTRIBUTES, TEXT) adds an element.
(() => {
  const programs = new Map();
  window.ordoProgram = script => {
    if (!programs.has(script))
      programs.set(script, new Promise((resolve, reject) => {
        const element = document.createElement('script');
        element.src = script;
        element.onerror = () => reject(new Error('the program cannot be loaded'));
        // Scripts run one after the other, each in its own turn: the handler below is that of the one that runs.
        element.onload = () => resolve(element.ordoCode);
        window.ordoLive = code => { document.currentScript.ordoCode = URL.createObjectURL(new Blob([code], { type: 'text/javascript' })); };
        document.head.append(element);
      }));
    return programs.get(script);
  };
  window.ordoRun = async (script, call, numbers, on) => {
    const worker = new window.NativeWorker(await window.ordoProgram(script));
    worker.onerror = error => on({ line: 'CRASH: ' + error.message, status: 3, recording: '' });
    worker.onmessage = ({ data }) => data.ready ? worker.postMessage({ call, numbers }) : on(data);
    return () => worker.terminate();
  };
  window.ordoMake = (parent, name, attributes = {}, text = '') => {
    const svg = name === 'svg' || parent.namespaceURI.endsWith('svg');
    const e = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.textContent = text;
    return parent.appendChild(e);
  };
})();
