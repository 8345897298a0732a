// Replays a tree of blocks on a canvas. Each step says which blocks have another state than before it; nothing is computed
// here. Without scripts, and on paper, the still frames below stand alone.
'use strict';
const start_one = (place) => {
  const {levels, bytes, leaf, steps} = JSON.parse(document.getElementById('replays').textContent)[place.dataset.replay];
  const kRow = 30, kNames = 64, kGap = 2;
  const kColours = {allocated: '--mark', free: '--h3', split: '--rest'};
  const leaves = bytes / leaf;
  const still = matchMedia('(prefers-reduced-motion: reduce)');

  const canvas = make('canvas', {tabIndex: 0});
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-describedby', `${place.dataset.replay}-step`);
  const says = make('p', {className: 'replay-step', id: `${place.dataset.replay}-step`});
  says.setAttribute('role', 'status');
  const button = (text, label, press) => {
    const made = make('button', {type: 'button', onclick: press}, text);
    made.setAttribute('aria-label', label);
    made.title = label;
    return made;
  };

  let step = 0, timer = 0, blocks = new Map(), changed = [];
  const go = (wanted) => {
    step = Math.min(Math.max(wanted, 0), steps.length - 1);
    blocks = new Map();
    for (const [, changes] of steps.slice(0, step + 1))
      for (const [level, at, state] of changes) {
        if (state) blocks.set(`${level} ${at}`, {level, at, state}); else blocks.delete(`${level} ${at}`);
      }
    changed = step === 0 ? [] : steps[step][1].map(([level, at]) => `${level} ${at}`);
    slider.value = step;
    slider.setAttribute('aria-valuetext', `Step ${step} of ${steps.length - 1}`);
    says.textContent = `Step ${step} of ${steps.length - 1}: ${steps[step][0]}`;
    canvas.setAttribute('aria-label', `${steps[step][0]} ${count('allocated')} allocated and ${count('free')} free blocks.`);
    back.disabled = step === 0;
    forward.disabled = step === steps.length - 1;
    draw();
  };
  const count = (state) => [...blocks.values()].filter((block) => block.state === state).length;

  const draw = () => {
    const css = getComputedStyle(document.documentElement), colour = (name) => css.getPropertyValue(name).trim();
    const width = place.clientWidth, height = levels.length * kRow + 2, ratio = window.devicePixelRatio || 1;
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = `12px ${getComputedStyle(place).fontFamily}`;
    pen.textBaseline = 'middle';
    const unit = (width - kNames - 2) / leaves;
    levels.forEach((name, level) => {
      pen.fillStyle = colour('--muted');
      pen.textAlign = 'right';
      pen.fillText(name, kNames - 8, level * kRow + kRow / 2);
    });
    pen.textAlign = 'center';
    for (const [key, {level, at, state}] of blocks) {
      const wide = leaves / 2 ** level * unit, x = kNames + at * unit, y = level * kRow;
      const gap = Math.min(kGap, wide / 6);
      pen.globalAlpha = state === 'split' ? 0.55 : 0.3;
      pen.fillStyle = colour(kColours[state]);
      pen.fillRect(x + gap / 2, y + 2, wide - gap, kRow - 4);
      pen.globalAlpha = 1;
      const is_changed = changed.includes(key);
      pen.strokeStyle = is_changed ? colour('--ink') : colour(kColours[state]);
      pen.lineWidth = is_changed ? 2 : 1;
      pen.strokeRect(x + gap / 2 + 0.5, y + 2.5, wide - gap - 1, kRow - 5);
      pen.fillStyle = colour(state === 'split' ? '--muted' : '--ink');
      const text = [state, state[0].toUpperCase()].find((one) => pen.measureText(one).width < wide - 5);
      if (text) pen.fillText(text, x + wide / 2, y + kRow / 2 + 1);
    }
  };

  const pause = () => {
    life.cancel(timer);
    timer = 0;
    play.textContent = 'Play';
    play.setAttribute('aria-label', 'Play');
    says.setAttribute('aria-live', 'polite');
  };
  const next = () => {
    go(step + 1);
    if (step === steps.length - 1) pause();
    else timer = life.after(700 / Number(speed.value), next);
  };
  const toggle = () => {
    if (timer) return pause();
    if (step === steps.length - 1) go(0);
    play.textContent = 'Pause';
    play.setAttribute('aria-label', 'Pause');
    says.setAttribute('aria-live', 'off');  // a reader could not follow
    timer = life.after(still.matches ? 0 : 250, next);
  };
  const step_by = (by) => { pause(); go(step + by); };

  const play = make('button', {type: 'button', onclick: toggle}, 'Play');
  play.setAttribute('aria-label', 'Play');
  const back = button('◀ Back', 'One step back', () => step_by(-1)), forward = button('Forward ▶', 'One step forward', () => step_by(1));
  const slider = make('input', {type: 'range', min: 0, max: steps.length - 1, step: 1, value: 0, oninput: () => { pause(); go(Number(slider.value)); }});
  slider.setAttribute('aria-label', 'Step');
  const speed = make('select', {}, ...[['0.5', 'half'], ['1', 'normal'], ['2', 'double'], ['4', 'four times'], ['16', 'sixteen times']]
    .map(([value, text]) => new Option(text, value, value === '1', value === (still.matches ? '0.5' : '1'))));
  const controls = make('div', {className: 'replay-controls'}, play, back, forward, slider, make('label', {}, 'Speed ', speed));
  controls.setAttribute('role', 'group');
  controls.setAttribute('aria-label', 'Replay');
  const keys = make('p', {className: 'replay-keys'}, 'With the picture in focus: space plays and pauses, ← and → step, Home and End jump.');
  canvas.addEventListener('keydown', (event) => {
    const press = {' ': toggle, ArrowLeft: () => step_by(-1), ArrowRight: () => step_by(1), Home: () => step_by(-steps.length), End: () => step_by(steps.length)}[event.key];
    if (!press || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    press();
  });
  const legend = make('p', {className: 'replay-keys'}, 'A: allocated, F: free, S: split. A strong border marks what the step changed.');
  place.append(controls, canvas, says, legend, keys);
  place.hidden = false;
  life.observe(new ResizeObserver(draw), place);
  life.listen(matchMedia('(prefers-color-scheme: dark)'), 'change', draw);
  go(0);
};

const start = () => { for (const place of document.querySelectorAll('.replay')) start_one(place); };
