// A model cut to some length. Everything that shows it listens to changes of the length.
class Model {
  constructor(data) {
    Object.assign(this, data);
    this.k = this.labels.length;
    this.coded = !!(data.code || data.distances);  // false: a plain model, of which only confusions are known
    this.listeners = [];
    this.pair = null;
    this.pairListeners = [];
    const sides = {"+": 1, "-": -1, "0": 0};
    this.sides = this.code && this.code.map(word => Int8Array.from(word, side => sides[side]));
    this.cut(this.lengths.length - 1);
  }

  cut(place) {
    const {k} = this;
    this.place = place;
    this.length = this.lengths[place];
    this.distance = new Int32Array(k * k);
    this.nearest = new Int32Array(k).fill(2 ** 30);
    for (let i = 0, p = 0; i < k; i++) for (let j = i + 1; j < k; j++, p++) {
      let h = 0;
      if (this.sides) {
        const a = this.sides[i], b = this.sides[j];
        for (let c = 0; c < this.length; c++) h += a[c] * b[c] < 0;
      } else if (this.coded) h = this.distances[p];
      this.distance[i * k + j] = this.distance[j * k + i] = h;
      this.nearest[i] = Math.min(this.nearest[i], h);
      this.nearest[j] = Math.min(this.nearest[j], h);
    }
    this.made = new Int32Array(k * k);
    const list = this.confusions[place];
    for (let p = 0; p < list.length; p += 3) this.made[list[p] * k + list[p + 1]] = list[p + 2];
    for (const listener of this.listeners) listener(this);
  }

  listen(listener) { this.listeners.push(listener); listener(this); }
  choose(i, j) { this.pair = [i, j]; for (const listener of this.pairListeners) listener(i, j); }
  correction(i, j) { return Math.floor((this.distance[i * this.k + j] - 1) / 2); }
  paper(i, j) { return Math.floor((Math.min(this.nearest[i], this.nearest[j]) - 1) / 2); }
  confused(i, j) { return this.made[i * this.k + j]; }
  share(i, j) { return `${this.confused(i, j)} of ${this.samples[i]}`; }
  right(i) { return this.samples[i] ? this.hits[this.place][i] / this.samples[i] : null; }

  mostConfused() {
    let best = [0, 1], most = -1, near = 2 ** 30;
    for (let i = 0; i < this.k; i++) for (let j = i + 1; j < this.k; j++) {
      const count = this.confused(i, j) + this.confused(j, i), h = this.distance[i * this.k + j];
      if (count > most || count === most && h < near) [best, most, near] = [[i, j], count, h];
    }
    return best;
  }
}

const theModel = data => data.model instanceof Model ? data.model : (data.model = new Model(data.model));

const SIDES = {"1": [0, 114, 178], "-1": [230, 159, 0], "0": [225, 225, 225]};
const sideName = side => side > 0 ? "+1" : side < 0 ? "−1" : "0, left out";
const css = ([r, g, b]) => `rgb(${r},${g},${b})`;
const list = (...pairs) => make("dl", {}, ...pairs.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]));
const cellSize = (count, room, most) => Math.max(1, Math.min(most, Math.floor(room / count)));
const percent = value => shown(value, {percent: true});

// Tiles that change with the length name the length. The other tiles are about the whole model.
draw.summary = (root, _, all) => {
  const model = theModel(all), tiles = root.parentElement.querySelectorAll("[data-follows]");
  const values = {accuracy: p => p, error: p => Math.sqrt(p * (1 - p) / model.total)};
  for (const tile of tiles) {
    const name = tile.lastChild.textContent;
    model.listeners.push(() => {
      tile.firstChild.textContent = percent(values[tile.dataset.follows](model.accuracy[model.place]));
      tile.lastChild.textContent = model.length < model.lengths.at(-1) ? `${name}, first ${model.length} columns` : name;
    });
  }
};

draw.length = (root, _, all) => {
  const model = theModel(all);
  const card = make("div", {class: "card"});
  root.append(card);
  const mark = chart(card, {x: model.lengths, y: model.accuracy, xName: "columns", yName: "accuracy, %"});
  const slider = make("input", {type: "range", min: 0, max: model.lengths.length - 1, value: model.place, "aria-label": "number of columns", oninput: () => model.cut(+slider.value)});
  const status = make("output");
  // The bar is not part of a section, so that it can stay visible over all of them.
  root.parentElement.after(make("div", {class: "bar"}, make("div", {class: "tools"}, make("b", {}, "columns"), slider, status)));
  model.listen(() => {
    const errors = Math.round((1 - model.accuracy[model.place]) * model.total);
    status.textContent = `${model.length} of ${model.lengths.at(-1)}: accuracy ${percent(model.accuracy[model.place])}, ${errors} of ${model.total} wrong`;
    slider.setAttribute("aria-valuetext", status.textContent);
    mark(model.place);
  });
};

// The studio draws the code book. It is a module, which runs after this script.
draw.code = (root, _, all) => {
  const model = theModel(all);
  if (!model.code) {
    root.append(make("p", {class: "soft"}, "The code book is too large to show."));
    return;
  }
  const card = make("div");
  root.append(card);
  const show = () => {
    const facts = {labels: model.labels, names: model.names, order: model.order, column_errors: model.columnErrors};
    const answers = [{ask: "design", stage: "final", code: model.code, n_columns: model.code[0].length}];
    const studio = globalThis.renderStudio({facts, answers, parts: ["code"], cut: model.length}, card);
    model.listen(() => studio.set("cut", model.length));
  };
  if (globalThis.renderStudio) show();
  else document.addEventListener("ecoc-studio", show, {once: true});
};

draw.matrix = (root, _, all) => {
  const model = theModel(all), {k, order} = model;
  const place = new Int32Array(k);
  order.forEach((i, row) => { place[i] = row; });
  const measures = {
    ...(model.coded && {
      "distance": (i, j) => model.distance[i * k + j],
      "correction": (i, j) => model.correction(i, j),
      "correction, paper's definition": (i, j) => model.paper(i, j),
    }),
    "confusions": (i, j) => model.confused(i, j),
  };
  const card = make("div", {class: "card"}), side = make("div", {class: "side"}), left = make("div"), detail = make("div", {class: "detail", "aria-live": "polite"});
  const choice = make("select", {"aria-label": "what is shown", onchange: paint}, ...Object.keys(measures).map(name => make("option", {}, name)));
  const low = make("span"), high = make("span"), ramp = make("i");
  ramp.style.background = `linear-gradient(90deg, ${CIVIDIS.map(css).join(", ")})`;
  root.append(card);
  card.append(make("div", {class: "tools"}, make("label", {}, "show ", choice)), side);
  side.append(left, detail);
  const names = order.map(i => model.names[i]), titles = order.map(i => model.labels[i]), size = cellSize(k, 620, 22);
  let pinned = model.mostConfused();
  const map = heat(left, {rows: k, columns: k, rowNames: names, columnNames: names, rowTitles: titles, columnTitles: titles, height: size, width: size, what: "pairs of classes",
    at: (row, column) => showDetail(order[row], order[column]),
    pick(row, column) {
      if (row === null) map.move(place[pinned[0]], place[pinned[1]]);
      else model.choose(order[row], order[column]);
    }});
  left.append(make("div", {class: "scale"}, low, ramp, high));

  function paint() {
    const measure = measures[choice.value];
    let least = Infinity, most = -Infinity;
    for (let i = 0; i < k; i++) for (let j = 0; j < k; j++) if (i !== j) {
      const value = measure(i, j);
      least = Math.min(least, value);
      most = Math.max(most, value);
    }
    // Most pairs are never confused and few are confused often. A square root makes rare confusions visible.
    const bend = choice.value === "confusions" ? Math.sqrt : v => v;
    map.paint((row, column) => row === column ? [200, 200, 200] : cividis(bend((measure(order[row], order[column]) - least) / Math.max(most - least, 1))));
    low.textContent = least;
    high.textContent = most;
  }

  function showDetail(i, j) {
    if (i === j) {
      detail.replaceChildren(make("h3", {}, model.labels[i]), list(["samples", model.samples[i]], ["correct", `${model.hits[model.place][i]}, ${percent(model.right(i))}`], ...(model.coded ? [["distance to the nearest codeword", model.nearest[i]]] : [])));
      return;
    }
    const parts = [make("h3", {}, `${model.labels[i]} | ${model.labels[j]}`), list(...(model.coded ? [["distance", `${model.distance[i * k + j]} of ${model.length} columns`],
      ["correction", `${model.correction(i, j)}, by the paper's definition ${model.paper(i, j)}`]] : []), [`${model.labels[i]} classified as ${model.labels[j]}`, model.share(i, j)], [`${model.labels[j]} classified as ${model.labels[i]}`, model.share(j, i)])];
    if (model.sides) parts.push(separating(i, j));
    detail.replaceChildren(...parts);
  }

  function separating(i, j) {
    const a = model.sides[i], b = model.sides[j], apart = [];
    for (let c = 0; c < model.length; c++) if (a[c] * b[c] < 0) apart.push(c);
    const most = 40, columns = apart.slice(0, most).map(c => model.columnErrors ? `${c} (${percent(model.columnErrors[c])})` : c).join(", ");
    const canvas = make("canvas", {width: model.length, height: 3, "aria-hidden": "true"}), context = canvas.getContext("2d");
    canvas.style.cssText = `width:100%;max-width:${model.length * 16}px;height:30px;image-rendering:pixelated;display:block;margin-bottom:.4rem`;
    for (let c = 0; c < model.length; c++) for (const [row, word] of [[0, a], [1, b]]) {
      context.fillStyle = css(SIDES[word[c]]);
      context.fillRect(c, row, 1, 1);
    }
    context.fillStyle = "#cc79a7";
    for (const c of apart) context.fillRect(c, 2, 1, 1);
    return make("div", {class: "apart"}, canvas, make("small", {}, `separated by ${apart.length} column${apart.length === 1 ? "" : "s"}` + (model.columnErrors ? " (with their wrong outputs): " : ": ") + columns + (apart.length > most ? ", …" : "")));
  }

  model.pairListeners.push((i, j) => { pinned = [i, j]; map.move(place[i], place[j]); });
  model.listen(() => { paint(); map.move(place[pinned[0]], place[pinned[1]]); });
};

draw.pairs = (root, _, all) => {
  const model = theModel(all), {k} = model, card = make("div", {class: "card"});
  const rows = () => {
    const found = [];
    for (let i = 0; i < k; i++) for (let j = i + 1; j < k; j++) {
      const there = model.confused(i, j), back = model.confused(j, i);
      const code = model.coded ? [model.distance[i * k + j], model.correction(i, j), model.paper(i, j)] : [];
      found.push([model.labels[i], model.labels[j], ...code, there, back, there + back, i, j]);
    }
    return found;
  };
  const columns = ["first", "second", ...(model.coded ? ["distance", "correction", "correction, paper's definition"] : []), "first as second", "second as first", "confusions"].map((name, j) => ({name, number: j > 1}));
  root.append(card);
  const change = sortable(card, columns, rows(), {by: columns.length - 1, only: {label: "only confused pairs", test: row => row[columns.length - 1] > 0}, step: 20,
    pick(row) { model.choose(...row.slice(-2)); document.getElementById("matrix").scrollIntoView({block: "nearest"}); }});
  model.listeners.push(() => change(rows()));
};

draw.classes = (root, _, all) => {
  const model = theModel(all), {k} = model, card = make("div", {class: "card"});
  const unanswered = i => model.labels.reduce((left, _, j) => left - (j === i ? model.hits[model.place][i] : model.confused(i, j)), model.samples[i]);
  const rejects = model.labels.some((_, i) => unanswered(i) > 0);
  const rows = () => model.labels.map((label, i) => {
    let worst = null, most = 0, lost = 0, gained = 0, near = -1;
    for (let j = 0; j < k; j++) if (j !== i) {
      const count = model.confused(i, j);
      if (count > most) [worst, most] = [j, count];
      lost += count;
      gained += model.confused(j, i);
      if (near < 0 || model.distance[i * k + j] < model.distance[i * k + near]) near = j;
    }
    return [label, model.samples[i], model.right(i), ...(rejects ? [unanswered(i)] : []), lost, worst === null ? null : `${model.labels[worst]} (${most})`, gained, ...(model.coded ? [model.labels[near], model.nearest[i]] : [])];
  });
  const columns = [{name: "class"}, {name: "samples", number: true}, {name: "correct", number: true, percent: true}, ...(rejects ? [{name: "no answer", number: true}] : []), {name: "classified as others", number: true}, {name: "most often as"},
    {name: "others classified as it", number: true}, ...(model.coded ? [{name: "nearest codeword"}, {name: "its distance", number: true}] : [])];
  root.append(card);
  const change = sortable(card, columns, rows(), {by: 2, down: false, step: 20});
  model.listeners.push(() => change(rows()));
};

draw.calibration = (root, data) => {
  const card = make("div", {class: "card"});
  root.append(card);
  const most = Math.max(...data.count);
  chart(card, {x: data.confidence, y: data.accuracy, xName: "probability of the predicted class, %", yName: "accuracy, %", ideal: true, sizes: data.count.map(n => 2.5 + 6 * Math.sqrt(n / most))});
};

draw.coverage = (root, data) => {
  const card = make("div", {class: "card"});
  root.append(card);
  chart(card, {x: data.coverage.map(v => +(100 * v).toFixed(1)), y: data.accuracy, xName: "samples that are answered, %", yName: "accuracy of the answers, %", ticks: [0, 20, 40, 60, 80, 100]});
};
