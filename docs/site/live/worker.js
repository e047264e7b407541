// In the page's worker: calls a function of the program, and sends what it prints, its status, and its recording.
var Module = {
  print: text => postMessage({ line: text }),
  printErr: text => postMessage({ line: text }),
  onRuntimeInitialized: () => postMessage({ ready: true }),
};
onmessage = ({ data }) => {
  let status = 3;
  try {
    Module['_' + data.call](...data.numbers);
    status = Module._program_status?.() ?? 0;
  } catch (error) {
    if (error.name !== 'ExitStatus') postMessage({ line: String(error) });
    status = error.status ?? 3;
  }
  let recording = '';
  try {
    recording = FS.readFile('/recording', { encoding: 'utf8' });
  } catch (error) { }  // none was asked for
  postMessage({ status, recording });
};
