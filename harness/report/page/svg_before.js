// Replaces the browser functions that Vega and Vega-Lite need, for an engine without a browser.
'use strict';
globalThis.self = globalThis;
globalThis.structuredClone = (value) => JSON.parse(JSON.stringify(value));
globalThis.doubts = [];
globalThis.console = {
  log() {}, info() {}, debug() {},
  warn(...messages) { doubts.push(messages.join(' ')); },
  error(...messages) { doubts.push(messages.join(' ')); },
};
// Time does not pass here: a timer never fires.
globalThis.setTimeout = () => 0;
globalThis.clearTimeout = () => {};
