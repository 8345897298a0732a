// Compares two pictures of a figure: one over the other with a line between them, their difference, or side by side. The
// pictures are those that the figure shows above; without scripts, and on paper, these stand alone.
'use strict';
const start_one = (place, at) => {
  const kFactors = [1, 4, 8, 16];
  const kWidest = 640;  // pixels: smaller pictures are enlarged up to this, by a whole number

  const pictures = [...place.parentElement.querySelectorAll('.compared li')].map((item) => {
    const drawn = item.querySelector('image, use'), {width, height} = item.querySelector('svg').viewBox.baseVal;
    const image = drawn.matches('use') ? document.getElementById(drawn.getAttribute('href').slice(1)) : drawn;
    return {title: item.querySelector('span').textContent, address: image.getAttribute('href'), width, height};
  });

  // Four bytes a pixel, decoded once.
  const pixels_of = (picture) => picture.pixels ??= (async () => {
    const image = new Image();
    image.src = picture.address;
    await image.decode();
    const pen = make('canvas', {width: picture.width, height: picture.height}).getContext('2d', {willReadFrequently: true});
    pen.drawImage(image, 0, 0);
    return pen.getImageData(0, 0, picture.width, picture.height).data;
  })();

  const select = (label, options, value) => make('label', {}, `${label} `,
    make('select', {}, ...options.map(([text, own]) => new Option(text, own, own === value, own === value))));
  const titles = pictures.map(({title}, index) => [title, index]);
  const first = select('A', titles, 0), second = select('B', titles, 1);
  const factor = select('Times', kFactors.map((one) => [String(one), one]), 4);
  const value_of = (label) => Number(label.querySelector('select').value);
  const chosen = () => [first, second].map((label) => pictures[value_of(label)]);

  const views = make('fieldset', {}, make('legend', {}, 'View'));
  for (const [value, text] of [['slider', 'Slider'], ['difference', 'Difference'], ['both', 'Side by side']])
    views.append(make('label', {}, make('input', {type: 'radio', name: `compare-${at}`, value, checked: value === 'slider'}), ` ${text}`));
  const view = () => views.querySelector(':checked').value;

  const controls = make('div', {className: 'compare-controls'}, first, second, views, factor);
  controls.setAttribute('role', 'group');
  controls.setAttribute('aria-label', 'Compare two pictures');
  const names = make('div', {className: 'compare-names'}, make('span'), make('span'));
  // The second one is over the first: to the right of the line, B.
  const images = [make('img', {draggable: false}), make('img', {draggable: false})];
  const line = make('div', {className: 'compare-line'}), canvas = make('canvas');
  canvas.setAttribute('role', 'img');
  const stage = make('div', {className: 'compare-stage'}, ...images, line, canvas);
  const slider = make('input', {className: 'compare-slider', type: 'range', min: 0, max: 100, step: 1, value: 50});
  slider.setAttribute('aria-label', 'Share of the width that shows A');
  const says = make('p', {className: 'compare-says'});
  says.setAttribute('role', 'status');

  const wipe = () => {
    images[1].style.clipPath = view() === 'slider' ? `inset(0 0 0 ${slider.value}%)` : '';
    line.style.left = `${slider.value}%`;
    slider.setAttribute('aria-valuetext', `A ${slider.value} %, B ${100 - slider.value} %`);
  };

  let turn = 0;  // of two overlapping calls, the later one wins
  const show_difference = async () => {
    const own = ++turn, [a, b] = chosen(), times = value_of(factor);
    canvas.hidden = true;
    if (a.width !== b.width || a.height !== b.height) {
      says.textContent = `No difference is drawn: A has ${a.width} x ${a.height} pixels, B has ${b.width} x ${b.height}.`;
      return;
    }
    const [left, right] = await Promise.all([pixels_of(a), pixels_of(b)]);
    if (own !== turn) return;
    const drawn = new ImageData(a.width, a.height), count = a.width * a.height;
    let most = 0, squares = 0, differ = 0;
    for (let pixel = 0; pixel < 4 * count; pixel += 4) {
      let largest = 0;
      for (let channel = pixel; channel < pixel + 3; ++channel) {
        const difference = Math.abs(left[channel] - right[channel]);
        largest = Math.max(largest, difference);
        squares += difference * difference;
        drawn.data[channel] = difference * times;  // at most 255, as the type has it
      }
      drawn.data[pixel + 3] = 255;
      most = Math.max(most, largest);
      differ += largest > 0;
    }
    Object.assign(canvas, {hidden: false, width: a.width, height: a.height});
    canvas.getContext('2d').putImageData(drawn, 0, 0);
    const whole = (number) => number.toLocaleString('en');
    says.textContent = `Largest difference: ${most} of 255 grey levels. Root mean square: ${Math.sqrt(squares / 3 / count).toFixed(3)} ` +
      `grey levels. ${whole(differ)} of ${whole(count)} pixels differ. Black: no difference${times === 1 ? '' : `; drawn ${times} times as bright`}.`;
    canvas.setAttribute('aria-label', `|A - B|. ${says.textContent}`);
    sharpen();
  };

  // Enlarged pixels stay squares; a picture that is shown smaller is smoothed.
  const sharpen = () => {
    const shown = [...place.parentElement.querySelectorAll('.compared svg')].map((svg, index) => [svg, pictures[index]]);
    for (const [element, {width}] of [...shown, ...images.map((image, index) => [image, chosen()[index]]), [canvas, chosen()[0]]])
      element.style.imageRendering = element.clientWidth * window.devicePixelRatio >= width ? 'pixelated' : 'auto';
  };

  const show = () => {
    const [a, b] = chosen(), wanted = view();
    stage.dataset.view = wanted;
    ++turn;
    for (const [index, {title, address}] of [a, b].entries()) {
      images[index].src = address;
      images[index].alt = title;
      names.children[index].textContent = `${'AB'[index]}: ${title}`;
      images[index].hidden = wanted === 'difference';
    }
    const scale = Math.max(1, Math.floor(kWidest / a.width));
    const width = wanted === 'both' ? '100%' : `${a.width * scale + 2}px`;
    for (const element of [stage, slider, names]) element.style.width = width;
    names.classList.toggle('ends', wanted === 'slider');
    line.hidden = slider.hidden = wanted !== 'slider';
    factor.hidden = canvas.hidden = wanted !== 'difference';
    says.textContent = '';
    wipe();
    sharpen();
    if (wanted === 'difference') show_difference();
  };

  const drag = (event) => {
    if (view() !== 'slider' || !stage.hasPointerCapture(event.pointerId)) return;
    const {left, width} = stage.getBoundingClientRect();
    slider.value = Math.round(100 * (event.clientX - left) / width);
    wipe();
  };
  stage.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    stage.setPointerCapture(event.pointerId);
    drag(event);
  });
  stage.addEventListener('pointermove', drag);
  slider.addEventListener('input', wipe);
  controls.addEventListener('change', show);
  place.append(controls, names, stage, slider, says);
  place.hidden = false;
  life.observe(new ResizeObserver(sharpen), place);
  show();
};

const start = () => { for (const [at, place] of document.querySelectorAll('.compare').entries()) start_one(place, at); };
