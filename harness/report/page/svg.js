// draw(specification) -> {svg, failure}. Both are set when the engine has run its pending jobs.
'use strict';

// There is no canvas to measure text, and Vega's estimate (0.8 em per character) is far too wide for labels. These are
// advance widths of a Helvetica-like font in thousandths of an em, enlarged to cover the widest common substitutes.
const kWidths = (() => {
  const widths = {};
  const all = (characters, width) => { for (const c of characters) widths[c] = width * 1.15; };
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

// Vega does not wrap lines. Neither a title nor a word of it may be wider than the drawing.
const wrapped = (text, item, width) => {
  const lines = [''];
  const pieces = (word) => {
    let at = word.length;
    while (at > 1 && vega.textMetrics.width(item, word.slice(0, at)) > width) --at;
    return at === word.length ? [word] : [word.slice(0, at), ...pieces(word.slice(at))];
  };
  for (const word of text.split(' ').flatMap(pieces)) {
    const longer = lines[lines.length - 1] ? `${lines[lines.length - 1]} ${word}` : word;
    if (vega.textMetrics.width(item, longer) > width && lines[lines.length - 1]) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
};

const fitted = (specification) => {
  const {title, width, config} = specification;
  if (config) fit_to(specification, width);
  if (!title) return specification;
  const style = config.title;
  const room = (width - 32) / 1.05;  // without the padding; a headline's font may be wider than the estimate
  return {...specification, title: {
    text: wrapped(title.text, {fontSize: style.fontSize, fontWeight: style.fontWeight}, room),
    subtitle: wrapped(title.subtitle, {fontSize: style.subtitleFontSize}, room),
  }};
};

// The page's style for paper knows a drawing that is too high by its class.
const marked = (svg, width) =>
  svg.replace(' class="marks"', ` class="${`marks ${length_on_paper(width, Number(/ height="([\d.]+)"/.exec(svg)[1]))}`.trim()}"`);

// Vega writes 17 digits. A hundredth of a pixel is below what any screen or printer shows.
const rounded = (svg) => svg.replace(/ (?:d|transform|x|y|x2|y2|width|height)="[^"]*"/g,
  (attribute) => attribute.replace(/\d+\.\d{3,}(?:e-\d+)?/g, (number) => String(Math.round(number * 100) / 100)));

globalThis.draw = (text) => {
  const outcome = {svg: '', failure: ''};
  const settle = (failure) => { outcome.failure = [...doubts, ...(failure ? [String(failure)] : [])].join('; '); };
  doubts.length = 0;
  vega.resetSVGClipId();
  vega.resetSVGDefIds();
  const logger = vega.logger(vega.Warn, undefined, (method, level, messages) => doubts.push([...messages].join(' ')));
  try {
    const compiled = vegaLite.compile(fitted(JSON.parse(text)), {logger}).spec;
    const view = new vega.View(vega.parse(compiled), {renderer: 'none', logger});
    // The specification's width is that of the whole drawing, as on the page; Vega uses it for the plot alone.
    const whole = compiled.width;
    const fit = async (tries) => {
      const svg = await view.toSVG();
      const excess = Number(/ width="([\d.]+)"/.exec(svg)[1]) - whole;
      if (excess === 0 || tries === 0) return svg;
      view.width(view.width() - excess);
      return fit(tries - 1);
    };
    fit(3).then((svg) => { outcome.svg = rounded(marked(svg, whole)); settle(); view.finalize(); }).catch(settle);
  } catch (error) {
    settle(error);
  }
  return outcome;
};
