// draw(specification) -> {svg, failure}, filled in when the engine has run its pending jobs.
'use strict';

// There is no canvas to measure text with, and Vega's own guess (0.8 em a character) is far too wide for labels.
// Advance widths of a Helvetica-like face in thousandths of an em, a little generous for wider substitutes.
const kWidths = (() => {
  const widths = {};
  const all = (characters, width) => { for (const c of characters) widths[c] = width * 1.06; };
  all("ijl'|", 222); all(" !,./:;I[]\\ft", 278); all('()-r`', 333); all('"', 355);
  all('ckJsvxyz*', 500); all('abdeghnopqu0123456789#$?_L', 556); all('+<=>~×÷–', 584); all('FTZ', 611);
  all('ABEKPSVXY&', 667); all('CDHNRUw', 722); all('GOQ', 778); all('mM', 833); all('%', 889);
  all('W', 944); all('@—…', 1000);
  return widths;
})();
vega.textMetrics.width = (item, text) => {
  const lines = Array.isArray(text) ? text : [text ?? item.text ?? ''];
  let widest = 0;
  for (const line of lines) {
    let width = 0;
    for (const c of String(line)) width += kWidths[c] ?? 600;
    widest = Math.max(widest, width);
  }
  const bold = Number(item.fontWeight) >= 600 || item.fontWeight === 'bold' ? 1.06 : 1;
  return widest / 1000 * vega.fontSize(item) * bold;
};

globalThis.draw = (text) => {
  const outcome = {svg: '', failure: ''};
  const settle = (failure) => { outcome.failure = [...doubts, ...(failure ? [String(failure)] : [])].join('; '); };
  doubts.length = 0;
  vega.resetSVGClipId();
  vega.resetSVGDefIds();
  const logger = vega.logger(vega.Warn, undefined, (method, level, said) => doubts.push([...said].join(' ')));
  try {
    const compiled = vegaLite.compile(JSON.parse(text), {logger}).spec;
    const view = new vega.View(vega.parse(compiled), {renderer: 'none', logger});
    view.toSVG().then((svg) => { outcome.svg = svg; settle(); view.finalize(); }, settle);
  } catch (error) {
    settle(error);
  }
  return outcome;
};
