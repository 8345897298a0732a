// What Vega and Vega-Lite expect of a browser, for an engine that has none of it.
'use strict';
globalThis.self = globalThis;
globalThis.structuredClone = (value) => JSON.parse(JSON.stringify(value));
globalThis.doubts = [];
globalThis.console = {
  log() {}, info() {}, debug() {},
  warn(...said) { doubts.push(said.join(' ')); },
  error(...said) { doubts.push(said.join(' ')); },
};
// Nothing here waits for time to pass: a timer that would fire later never does.
globalThis.setTimeout = () => 0;
globalThis.clearTimeout = () => {};
