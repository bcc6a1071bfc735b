// The studio: classes on a map, wishes for pairs, the code book, and its certificate. A host gives `model`, with the
// methods of anywidget (get, set, save_changes, on, off), and `el`, the element to draw in. The host computes; this
// module draws, edits and asks. Class names are set as text, never as HTML.

const PLUS = [0, 114, 178], MINUS = [230, 159, 0], NEITHER = [205, 209, 214];  // the colours of Okabe and Ito
const CIVIDIS = ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"]
  .map(hex => [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16)));
const WORDS = {apart: "apart", alike: "alike", ignore: "ignored"};
const PARTS = ["map", "matrix", "wishes", "settings", "certificate", "code", "pairs", "training", "export"];
const ROOM = 13;  // height of a name beside a row, in pixels

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

const button = (text, onclick, more) => make("button", {type: "button", onclick, ...more}, text);
const rgb = ([r, g, b]) => `rgb(${r},${g},${b})`;
const mix = (a, b, share) => a.map((value, i) => Math.round(value + share * (b[i] - value)));
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const percent = share => `${(100 * share).toFixed(1)} %`;
const digits = value => value === null || value === undefined ? "–" : Math.abs(value) >= 1e5 ? Math.round(value).toLocaleString("en") : String(+value.toPrecision(4));
const plural = (count, one, many = one + "s") => `${count} ${count === 1 ? one : many}`;
const nameOf = label => make("bdi", {}, label);
const correction = distance => Math.max(0, Math.floor((distance - 1) / 2));

function cividis(share) {
  const at = clamp(share, 0, 1) * (CIVIDIS.length - 1), low = Math.min(Math.floor(at), CIVIDIS.length - 2);
  return mix(CIVIDIS[low], CIVIDIS[low + 1], at - low);
}

// Values of pairs that the host sends as the upper triangle of a matrix.
class Pairs {
  constructor(values, k, scale = 1) { Object.assign(this, {values, k, scale}); }
  at(i, j) {
    if (i > j) [i, j] = [j, i];
    return this.values[i * this.k - i * (i + 1) / 2 + j - i - 1] * this.scale;
  }
}

// ---------------------------------------------------------------------------------------------------- the state

// What the user asks for. States are replaced, never changed, so that undo only needs to keep them.
class State {
  constructor(given, labels) {
    const row = new Map(labels.map((label, i) => [label, i]));
    const pairs = list => new Map((list || []).flatMap(([a, b, value]) => {
      const [i, j] = [row.get(String(a)), row.get(String(b))];
      return i === undefined || j === undefined || i === j ? [] : [[State.key(i, j), value]];
    }));
    this.labels = labels;
    this.allocation = given.allocation ?? -0.5;
    this.n_columns = given.n_columns ?? null;
    this.min_distance = given.min_distance ?? 1;
    this.wishes = pairs(given.wishes);
    this.demands = pairs(given.demands);
    this.groups = (given.groups || []).map(([name, members]) => [name, members.map(label => row.get(String(label))).filter(i => i !== undefined)]);
  }

  // The sentence about wishes for classes that are not here; "" if there are none.
  static lost(given, labels) {
    const known = new Set(labels), names = [...(given.wishes || []), ...(given.demands || [])].flatMap(([a, b]) => [String(a), String(b)]);
    const lost = [...new Set(names.filter(name => !known.has(name)))];
    return lost.length ? `The saved design has classes that are not there any more: ${lost.slice(0, 5).join(", ")}${lost.length > 5 ? ` and ${lost.length - 5} more` : ""}. Their wishes were left out; all others were kept.` : "";
  }

  static key(i, j) { return i < j ? `${i},${j}` : `${j},${i}`; }

  with(changes) { return Object.assign(Object.create(State.prototype), this, changes); }

  json() {
    const {labels} = this;
    const list = map => [...map].map(([key, value]) => [...key.split(",").map(i => labels[i]), value]);
    return {classes: labels, allocation: this.allocation, n_columns: this.n_columns, min_distance: this.min_distance,
      wishes: list(this.wishes), demands: list(this.demands),
      groups: this.groups.map(([name, members]) => [name, members.map(i => labels[i])])};
  }
}

// ---------------------------------------------------------------------------------------------------- pictures

// A canvas that is drawn again whenever its size or the colours change.
class Picture {
  constructor(studio, {label, height, draw, keys}) {
    this.studio = studio;
    this.draw = draw;
    this.height = height;
    this.canvas = make("canvas", {tabindex: keys ? 0 : null, role: keys ? "application" : "img", "aria-label": label});
    if (keys) this.canvas.addEventListener("keydown", keys);
  }

  paint() {
    const {canvas} = this, width = canvas.parentElement ? canvas.parentElement.clientWidth : 0;
    if (!width) return;
    const height = typeof this.height === "function" ? this.height(width) : this.height;
    this.size = [width, height];
    fit(canvas, width, height);
    this.draw(canvas.getContext("2d"), width, height, this.studio.colours());
  }

  // The same picture on a canvas of its own, for a file.
  copy() {
    const [width, height] = this.size, canvas = make("canvas"), colours = this.studio.colours();
    const context = fit(canvas, width, height, 2);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, width, height);
    this.draw(context, width, height, colours);
    return canvas;
  }
}

function fit(canvas, width, height, ratio = Math.min(window.devicePixelRatio || 1, 3)) {
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = width + "px";
  canvas.style.height = height + "px";
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

// A matrix of cells with names beside them: a cursor for mouse and arrow keys, and a block that is dragged or grown
// with Shift. `colour(i, j)` is the colour of a cell, `mark(i, j)` what is drawn on it, `at(i, j)` is told where the
// cursor is, `pick(block)` which block was chosen.
class Grid {
  constructor(studio, {label, at, pick, column}) {
    Object.assign(this, {studio, label, at, pick, place: [0, 0], zoom: 1});
    this.canvas = make("canvas", {tabindex: 0, role: "application", "aria-label": label});
    this.cursor = make("div", {class: "cursor"});
    this.block = make("div", {class: "block", hidden: true});
    this.rowNames = make("div", {class: "rows", "aria-hidden": "true"});
    this.columnNames = make("div", {class: "columns", "aria-hidden": "true"});
    this.root = make("div", {class: "grid", tabindex: -1}, this.rowNames, make("div", {class: "frame"}, this.canvas, this.block, this.cursor), this.columnNames);
    this.clickColumn = column;
    this.listen();
  }

  show(content) { Object.assign(this, content); this.paint(); }

  cellSize() {
    const side = this.root.closest(".side"), room = side ? side.clientWidth : 0, {rows, columns, tall} = this;
    const names = Math.min(150, 12 + 6.2 * Math.max(...this.names.map(name => name.length)), room * 0.4);
    if (room) this.rowNames.style.maxWidth = names + "px";
    const width = clamp(Math.floor((room - names - 2) / columns), tall ? 3 : 1, clamp(Math.floor(420 / columns), 24, 40)) * this.zoom;
    const height = tall ? clamp(Math.floor(520 / rows), ROOM, 28) : width;
    return [Math.max(width, 1), Math.max(height, 1)];
  }

  paint() {
    if (!this.rows || !this.root.isConnected) return;
    const [width, height] = this.cell = this.cellSize(), {rows, columns} = this;
    const context = fit(this.canvas, columns * width, rows * height, columns * width > 5000 ? 1 : undefined);
    this.drawCells(context, width, height);
    this.write(this.rowNames, this.names, this.titles, height, "height");
    this.write(this.columnNames, this.columnTitles ? this.columnTexts : this.names, this.columnTitles || this.titles, width, "width");
    this.place = [clamp(this.place[0], 0, rows - 1), clamp(this.place[1], 0, columns - 1)];
    this.moveMark(this.cursor, this.place[0], this.place[1], 1, 1);
    this.showBlock();
  }

  drawCells(context, width, height) {
    const {rows, columns} = this, small = make("canvas", {width: columns, height: rows}), pen = small.getContext("2d");
    const image = pen.createImageData(columns, rows);
    for (let i = 0, p = 0; i < rows; i++) for (let j = 0; j < columns; j++, p += 4) {
      const [r, g, b] = this.colour(i, j);
      image.data[p] = r; image.data[p + 1] = g; image.data[p + 2] = b; image.data[p + 3] = 255;
    }
    pen.putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, columns * width, rows * height);
    if (Math.min(width, height) >= 7 && rows * columns < 20000) {
      context.fillStyle = this.studio.colours().paper;
      for (let i = 1; i < rows; i++) context.fillRect(0, i * height - 0.5, columns * width, 1);
      for (let j = 1; j < columns; j++) context.fillRect(j * width - 0.5, 0, 1, rows * height);
    }
    if (this.mark) for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) this.mark(context, i, j, j * width, i * height, width, height);
  }

  // Where cells are smaller than letters, every second, third, … name is written, beside the first of its cells.
  write(root, texts, titles, size, side) {
    const every = Math.ceil((side === "height" ? 10 : 11) / size);
    root.replaceChildren(...texts.filter((_, i) => i % every === 0).map((text, i) => {
      const item = make("div", {title: titles[i * every]}, make("span", {dir: "auto"}, text));
      item.style[side] = Math.min(every, texts.length - i * every) * size + "px";
      item.style.fontSize = clamp(every * size - 1, 9, 12) + "px";
      if (every > 1) item.classList.add("thin");
      const found = this.found && this.found(i * every, side === "height");
      if (found) item.classList.add("found");
      return item;
    }));
  }

  moveMark(mark, i, j, height, width) {
    const [w, h] = this.cell;
    Object.assign(mark.style, {left: j * w - 1 + "px", top: i * h - 1 + "px", width: Math.max(width * w, 4) + 2 + "px", height: Math.max(height * h, 4) + 2 + "px"});
  }

  move(i, j, extend = false) {
    this.place = [clamp(i, 0, this.rows - 1), clamp(j, 0, this.columns - 1)];
    if (!extend) this.anchor = [...this.place];
    this.moveMark(this.cursor, ...this.place, 1, 1);
    if (extend) this.choose();
    this.at(...this.place);
  }

  choose() {
    const [a, b] = [this.anchor || this.place, this.place];
    this.chosen = [Math.min(a[0], b[0]), Math.max(a[0], b[0]), Math.min(a[1], b[1]), Math.max(a[1], b[1])];
    this.showBlock();
    if (this.pick) this.pick(this.chosen);
  }

  showBlock() {
    this.block.hidden = !this.chosen;
    if (!this.chosen) return;
    const [top, bottom, left, right] = this.chosen;
    this.moveMark(this.block, top, left, bottom - top + 1, right - left + 1);
  }

  cellOf(event) {
    const box = this.canvas.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / box.height * this.rows), j = Math.floor((event.clientX - box.left) / box.width * this.columns);
    return [clamp(i, 0, this.rows - 1), clamp(j, 0, this.columns - 1)];
  }

  listen() {
    const {canvas} = this;
    let drags = false;
    canvas.addEventListener("pointermove", event => { if (this.rows && event.pointerType !== "touch") this.move(...this.cellOf(event), drags); });
    canvas.addEventListener("pointerdown", event => {
      if (event.button || !this.rows) return;
      this.move(...this.cellOf(event), event.shiftKey);
      drags = !!this.pick && event.pointerType !== "touch";
      if (drags) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => { if (this.rows && this.pick) this.choose(); drags = false; });
    canvas.addEventListener("click", () => { if (this.clickColumn) this.clickColumn(this.place[1]); });
    canvas.addEventListener("focus", () => { if (this.rows) this.at(...this.place); });
    canvas.addEventListener("keydown", event => {
      const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -1e9], End: [0, 1e9], PageUp: [-10, 0], PageDown: [10, 0]}[event.key];
      if (step) this.move(this.place[0] + step[0], this.place[1] + step[1], event.shiftKey && !!this.pick);
      else if (event.key === "Enter" || event.key === " ") { this.choose(); if (this.clickColumn) this.clickColumn(this.place[1]); }
      else if (!(this.press && this.press(event.key))) return;
      event.preventDefault();
      this.reveal();
    });
  }

  // Scroll so that the cursor is seen where the matrix is larger than its room.
  reveal() {
    const [w, h] = this.cell, box = this.root, x = this.rowNames.offsetWidth + this.place[1] * w, y = this.place[0] * h;
    if (x < box.scrollLeft + this.rowNames.offsetWidth) box.scrollLeft = x - this.rowNames.offsetWidth;
    else if (x + w > box.scrollLeft + box.clientWidth) box.scrollLeft = x + w - box.clientWidth;
    if (y < box.scrollTop) box.scrollTop = y;
    else if (y + h > box.scrollTop + box.clientHeight) box.scrollTop = y + h - box.clientHeight;
  }

  copy() {
    const [w, h] = this.cell, colours = this.studio.colours(), texts = this.columnTitles ? this.columnTexts : this.names;
    const left = 8 + 7 * Math.max(...this.names.map(name => name.length)), below = 8 + 7 * Math.max(...texts.map(text => text.length));
    const canvas = make("canvas"), context = fit(canvas, left + this.columns * w + 8, this.rows * h + below + 8, 2);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.translate(left, 8);
    this.drawCells(context, w, h);
    context.fillStyle = colours.text;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    const everyRow = Math.ceil(11 / h), everyColumn = Math.ceil(11 / w);
    this.names.forEach((name, i) => { if (i % everyRow === 0) context.fillText(name, -5, (i + 0.5) * h); });
    texts.forEach((text, j) => {
      if (j % everyColumn) return;
      context.save();
      context.translate((j + 0.5) * w, this.rows * h + 5);
      context.rotate(-Math.PI / 2);
      context.fillText(text, 0, 0);
      context.restore();
    });
    return canvas;
  }
}

// A table that is sorted by its heads. `rows` are lists of cells; a click on a row calls pick.
class Table {
  constructor(heads, {pick, by = null, down = true, step = 12, label} = {}) {
    Object.assign(this, {heads, pick, by, down, step, limit: step, rows: []});
    this.body = make("tbody");
    this.more = button("More rows", () => { this.limit += 4 * this.step; this.show(); });
    this.count = make("span", {class: "soft"});
    this.cells = heads.map((head, j) => make("th", {scope: "col", class: head.number ? "n" : null},
      button(head.name, () => { this.down = this.by === j ? !this.down : !!head.number; this.by = j; this.show(); })));
    this.root = make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label}, make("table", {}, make("caption", {class: "hidden"}, label), make("thead", {}, make("tr", {}, ...this.cells)), this.body));
    this.all = make("div", {}, this.root, make("div", {class: "tools"}, this.more, this.count));
  }

  fill(rows) { this.rows = rows; this.show(); }

  show() {
    const words = new Intl.Collator(undefined, {numeric: true}), {by, heads} = this;
    let rows = this.rows;
    if (by !== null) rows = [...rows].sort((a, b) => (this.down ? -1 : 1) * (heads[by].number ? (a[by] ?? -1) - (b[by] ?? -1) : words.compare(a[by], b[by])));
    this.cells.forEach((cell, j) => cell.setAttribute("aria-sort", j !== by ? "none" : this.down ? "descending" : "ascending"));
    this.body.replaceChildren(...rows.slice(0, this.limit).map(row => make("tr", {},
      ...heads.map((head, j) => make(j ? "td" : "th", j ? {class: head.number ? "n" : null} : {scope: "row"},
        j === 0 && this.pick ? button(head.show ? head.show(row[j]) : row[j], () => this.pick(row), {class: "link", dir: "auto"}) : head.number ? head.show ? head.show(row[j]) : digits(row[j]) : nameOf(row[j]))))));
    this.more.hidden = rows.length <= this.limit;
    this.count.textContent = `${Math.min(this.limit, rows.length)} of ${plural(rows.length, "row")}`;
  }
}

// ---------------------------------------------------------------------------------------------------- the studio

let views = 0;

class Studio {
  constructor(model, el) {
    this.model = model;
    this.facts = model.get("facts");
    this.parts = new Set(model.get("parts") || PARTS);
    this.readonly = !!model.get("readonly");
    this.k = this.facts.labels.length;
    this.position = new Int32Array(this.k);
    this.facts.order.forEach((i, row) => { this.position[i] = row; });
    this.distances = this.facts.distances && new Pairs(this.facts.distances, this.k);
    this.state = new State(model.get("state") || {}, this.facts.labels);
    this.lost = State.lost(model.get("state") || {}, this.facts.labels);
    this.first = this.state;
    this.undone = [];
    this.done = [];
    this.pair = this.nearestPair();
    this.selection = this.pair.map(i => [i]);
    this.points = new Map();
    this.jobs = new Map();
    this.view = `${Date.now().toString(36)}-${++views}`;
    this.root = make("div", {class: "ecoc-studio"});
    el.replaceChildren(this.root);
    this.onReply = () => this.hear(model.get("reply"));
    this.onTrouble = () => this.tell(model.get("trouble") || "", true);
    this.onCut = () => { this.cut = model.get("cut"); this.paintCode(); };
    model.on("change:reply", this.onReply);
    model.on("change:trouble", this.onTrouble);
    model.on("change:cut", this.onCut);
    this.cut = model.get("cut");
  }

  nearestPair() {
    let best = [0, 1];
    if (this.distances) for (let i = 0; i < this.k; i++) for (let j = i + 1; j < this.k; j++) if (this.distances.at(i, j) < this.distances.at(...best)) best = [i, j];
    return best;
  }

  start() {
    this.build();
    if (this.matrix) this.matrix.place = this.pair.map(i => this.position[i]);
    this.theme();
    this.watch = new ResizeObserver(() => { clearTimeout(this.resizing); this.resizing = setTimeout(() => this.paintAll(), 80); });
    this.watch.observe(this.root);
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => { this.theme(); this.paintAll(); };
    this.scheme.addEventListener("change", this.onScheme);
    for (const reply of this.model.get("answers") || []) this.take(reply);
    this.paintAll();
    if (!this.readonly) {
      this.compute();
      if (this.lost) this.tell(this.lost, true);
      this.ask("training", {}, reply => this.showTraining(reply));
    } else if (this.model.get("trouble")) this.onTrouble();
  }

  close() {
    for (const job of this.jobs.values()) job.cancel();
    this.watch.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    for (const [name, listener] of [["reply", this.onReply], ["trouble", this.onTrouble], ["cut", this.onCut]]) {
      if (this.model.off) this.model.off(`change:${name}`, listener);
    }
  }

  // ------------------------------------------------------------------------------------------------ host

  ask(ask, body, listener) {
    if (this.readonly) return {cancel() {}};
    const id = `${this.view}-${++this.asked || (this.asked = 1)}`;
    const job = {listener, cancel: () => {
      if (!this.jobs.delete(id)) return;
      this.model.set("request", {ask: "cancel", id});
      this.model.save_changes();
    }};
    this.jobs.set(id, job);
    this.model.set("request", {ask, id, ...body});
    this.model.save_changes();
    return job;
  }

  hear(reply) {
    const job = reply && this.jobs.get(reply.id);
    if (!job) return;
    if (["final", "done", "error", "none"].includes(reply.stage)) this.jobs.delete(reply.id);
    job.listener(reply);
  }

  take(reply) {  // an answer that came with the page
    if (reply.ask === "design") this.showDesign(reply);
    else if (reply.ask === "predict") this.showPrediction(reply);
  }

  // Tell in the bar, or as an alert that stays until it is closed.
  tell(text, alert = false) {
    if (!alert) { this.status.textContent = text; return; }
    this.trouble.hidden = !text;
    this.trouble.firstChild.textContent = text;
  }

  // ------------------------------------------------------------------------------------------------ edits

  change(changes, {soon = false, silent = false} = {}) {
    this.done.push(this.state);
    if (this.done.length > 200) this.done.shift();
    this.undone = [];
    this.become(this.state.with(changes), soon, silent);
  }

  become(state, soon = false, silent = false) {
    this.state = state;
    this.edited = performance.now();
    this.model.set("state", state.json());
    this.model.save_changes();
    this.showState();
    if (silent) return;
    clearTimeout(this.waiting);
    if (soon) this.waiting = setTimeout(() => this.compute(), 120);
    else this.compute();
  }

  undo() { if (this.done.length) { this.undone.push(this.state); this.become(this.done.pop()); } }
  redo() { if (this.undone.length) { this.done.push(this.state); this.become(this.undone.pop()); } }
  reset() { this.change({...new State({n_columns: this.usual, allocation: this.facts.allocation}, this.facts.labels)}); }

  compute() {
    if (this.readonly) return;
    if (this.job) this.job.cancel();
    if (this.predicting) this.predicting.cancel();
    this.edited = this.edited || performance.now();
    this.tell("Computing the code and its certificate …");
    this.stop.hidden = false;
    this.before = this.since === "start" ? this.startCode : this.shownCode;
    this.job = this.ask("design", {state: this.state.json(), reference: this.before || null}, reply => this.showDesign(reply));
  }

  cancel() {
    if (this.job) this.job.cancel();
    if (this.predicting) this.predicting.cancel();
    this.stop.hidden = true;
    if (this.result && this.result.code && this.result.stage === "draft") {  // the draft is the code from now on
      this.shownCode = this.result.code;
      this.result = {...this.result, stage: "stopped"};
      this.showCertificate();
      this.python.textContent = "# The search was stopped: save the code book, and load it with ecoc.CodeBook.load(\"code.csv\").";
    }
    this.tell(this.result ? "Stopped. The certificate below is that of the code below." : "Stopped.");
  }

  // Pairs of two sets of classes, each pair once.
  pairsOf([a, b]) {
    const found = new Set();
    for (const i of a) for (const j of b) if (i !== j) found.add(State.key(i, j));
    return [...found];
  }

  wish(kind) {
    const pairs = this.pairsOf(this.selection), wishes = new Map(this.state.wishes), demands = new Map(this.state.demands);
    if (!pairs.length) { this.tell("Choose two different classes first."); return; }
    const number = kind === "number" ? clamp(Number(this.similarity.value), -1, 1) : null;
    const least = kind === "demand" ? Math.round(clamp(Number(this.least.value), 1, 9999)) : null;
    for (const pair of pairs) {
      if (kind === "clear") { wishes.delete(pair); demands.delete(pair); }
      else if (kind === "demand") demands.set(pair, least);
      else wishes.set(pair, kind === "number" ? number : kind);
    }
    this.change({wishes, demands});
  }

  // ------------------------------------------------------------------------------------------------ answers

  showDesign(reply) {
    if (reply.stage === "error") {
      this.stop.hidden = true;
      this.tell("");
      this.tell(reply.error, true);
      return;
    }
    const final = reply.stage === "final";
    if (reply.asked) this.asked_ = new Pairs(reply.asked, this.k, 0.001);
    if (reply.design) this.design = new Pairs(reply.design, this.k, 0.001);
    this.result = reply;
    if (reply.code) {
      if (!this.startCode) this.startCode = this.facts.start_code || (final ? reply.code : null);
      this.code = reply.code.map(word => Int8Array.from(word, side => side === "+" ? 1 : side === "-" ? -1 : 0));
      this.measure();
      if (final) this.shownCode = reply.code;
    }
    if (this.usual === undefined && final) {  // from here on the length is the user's
      this.usual = reply.n_columns;
      if (this.state.n_columns === null) {
        this.state = this.state.with({n_columns: reply.n_columns});
        this.first = this.state;
      }
    }
    if (final && !this.readonly) {
      this.stop.hidden = true;
      this.tell(reply.notes && reply.notes.length ? reply.notes.join(" ") : "The certificate is up to date.");
      if (this.facts.has_samples && !reply.error) this.predict();
    }
    this.showState();
    this.showCertificate();
    this.paintAll();
    const seconds = ((performance.now() - this.edited) / 1000).toFixed(3);
    if (this.edited) this.root.dataset[final ? "finalSeconds" : "draftSeconds"] = seconds;
    this.root.dataset.stage = reply.stage;
    this.root.dataset.answers = Number(this.root.dataset.answers || 0) + (final ? 1 : 0);
  }

  measure() {  // distances between codewords
    const {k, code} = this;
    if (this.parts.size === 1) return;  // nothing shows them
    this.apart = new Int32Array(k * k);
    for (let i = 0; i < k; i++) for (let j = i + 1; j < k; j++) {
      let h = 0;
      const a = code[i], b = code[j];
      for (let c = 0; c < a.length; c++) h += a[c] * b[c] < 0;
      this.apart[i * k + j] = this.apart[j * k + i] = h;
    }
  }

  predict() {
    const key = JSON.stringify({...this.state.json(), groups: [], n_columns: null});
    if (this.predicted === key && this.points.has(this.result.n_columns)) { this.paintCurve(); return; }
    if (this.predicted !== key) this.points = new Map();
    this.predicted = key;
    this.predicting = this.ask("predict", {state: this.state.json()}, reply => this.showPrediction(reply));
  }

  showPrediction(reply) {
    if (reply.stage === "confusions") {
      this.confusions = new Map();
      for (let p = 0; p < reply.pairs.length; p += 3) this.confusions.set(reply.pairs[p] * this.k + reply.pairs[p + 1], reply.pairs[p + 2]);
      this.confusionsFrom = reply;
      this.paintAll();
      this.showPairs();
    } else if (reply.stage === "point") {
      this.points.set(reply.n_columns, reply);
      this.paintCurve();
    } else if (reply.stage === "error") this.tell(reply.error, true);
  }

  confused(i, j) { return this.confusions ? (this.confusions.get(i * this.k + j) || 0) : 0; }

  // ------------------------------------------------------------------------------------------------ the page

  build() {
    const {facts} = this;
    this.status = make("span", {class: "status", role: "status"});
    this.trouble = make("div", {class: "trouble", role: "alert", hidden: true}, make("span"), button("Close", () => { this.trouble.hidden = true; }));
    this.stop = button("Stop", () => this.cancel(), {hidden: true});
    this.undoButton = button("Undo", () => this.undo());
    this.redoButton = button("Redo", () => this.redo());
    this.search = make("input", {type: "search", placeholder: "Find classes", "aria-label": "find classes", oninput: () => this.paintAll()});
    const file = make("input", {type: "file", accept: ".json", class: "hidden", tabindex: -1, "aria-label": "file of a saved design", onchange: () => this.open(file)});
    const edits = this.readonly ? [] : [this.undoButton, this.redoButton, button("Reset", () => this.reset()),
      button("Save design", () => this.download("design.json", JSON.stringify(this.state.json(), null, 1), "application/json")), button("Open design", () => file.click()), file];
    const bar = make("div", {class: "bar", role: "toolbar", "aria-label": "studio"}, ...edits, this.search, this.stop, this.status);
    const cards = {map: () => this.buildMap(), matrix: () => this.buildMatrix(), wishes: () => this.buildWishes(), settings: () => this.buildSettings(),
      certificate: () => this.buildCertificate(), code: () => this.buildCode(), pairs: () => this.buildPairs(),
      training: () => this.buildTraining(), export: () => this.buildExport()};
    const shown = PARTS.filter(part => this.parts.has(part) && !(this.readonly && ["wishes", "training", "export"].includes(part)));
    if (this.parts.size > 1) this.root.append(make("p", {class: "soft"}, `${facts.source || ""}${facts.distances_from ? `; ${facts.distances_from}` : ""}`), bar);
    this.root.append(this.trouble, make("div", {class: "cards"}, ...shown.map(part => cards[part]())));
    this.root.addEventListener("keydown", event => {
      const text = event.target.closest("input, select, textarea");
      if (!(event.ctrlKey || event.metaKey) || text || this.readonly) return;
      const act = event.key.toLowerCase() === "z" ? (event.shiftKey ? "redo" : "undo") : event.key.toLowerCase() === "y" ? "redo" : null;
      if (act) { event.preventDefault(); this[act](); }
    });
    this.showState();
  }

  card(name, title, wide, ...children) {
    const heading = title ? [make("h2", {}, title)] : [], size = wide ? " wide" : this.readonly || ["map", "matrix"].includes(name) ? "" : " third";
    return make("section", {class: `card ${name}${size}`, "aria-label": title || name}, ...heading, ...children);
  }

  found(i) {
    const wanted = this.search.value.trim().toLowerCase();
    return !!wanted && this.facts.labels[i].toLowerCase().includes(wanted);
  }

  choose(a, b) {
    this.selection = [a, b];
    if (a.length === 1 && b.length === 1 && a[0] !== b[0]) this.pair = [a[0], b[0]];
    this.showSelection();
    this.paintMap();
  }

  chosenClasses() { return new Set([...this.selection[0], ...this.selection[1]]); }

  // ------------------------------------------------------------------------------------------------ the map

  buildMap() {
    this.camera = {...this.facts.first_view};
    this.mapAt = this.pair[0];
    this.shownPairs = make("input", {type: "range", min: 0, max: 8, value: 1, "aria-label": "nearest neighbours of each class that are joined by lines", oninput: () => this.paintMap()});
    this.mapDetail = make("p", {class: "detail soft", "aria-live": "polite"});
    this.map = new Picture(this, {label: "map of the classes; arrow keys go to the next class, Enter chooses it, plus and minus zoom", height: width => Math.min(460, Math.max(300, 0.75 * width)),
      draw: (...all) => this.drawMap(...all), keys: event => this.mapKey(event)});
    const zoom = factor => { this.camera.zoom = clamp(this.camera.zoom * factor, 1, 40); this.paintMap(); };
    const tools = make("div", {class: "tools"}, button("+", () => zoom(1.6), {"aria-label": "zoom in"}), button("−", () => zoom(1 / 1.6), {"aria-label": "zoom out"}),
      button("Whole map", () => { this.camera = {x: 0.5, y: 0.5, zoom: 1}; this.paintMap(); }), make("label", {}, "lines to the nearest ", this.shownPairs));
    this.listenMap(zoom);
    return this.card("map", "Map of the classes", false, tools, make("div", {class: "picture"}, this.map.canvas), this.mapDetail);
  }

  listenMap(zoom) {
    const {canvas} = this.map;
    let from = null;
    const nearest = event => {
      const box = canvas.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
      const away = this.facts.places.map((_, i) => { const [px, py] = this.toScreen(i); return Math.hypot(px - x, py - y); });
      const i = away.indexOf(Math.min(...away));
      return away[i] < 30 ? i : null;
    };
    canvas.addEventListener("wheel", event => { if (event.ctrlKey || this.camera.zoom > 1 || document.activeElement === canvas) { event.preventDefault(); zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2); } }, {passive: false});
    canvas.addEventListener("pointerdown", event => { from = {x: event.clientX, y: event.clientY, camera: {...this.camera}}; });
    canvas.addEventListener("pointermove", event => {
      if (from && event.buttons) {
        const scale = this.mapScale();
        this.camera.x = clamp(from.camera.x - (event.clientX - from.x) / scale, 0, 1);
        this.camera.y = clamp(from.camera.y - (event.clientY - from.y) / scale, 0, 1);
        this.paintMap();
        return;
      }
      const i = nearest(event);
      if (i !== null) this.pointAt(i);
    });
    canvas.addEventListener("pointerup", event => {
      const moved = from && Math.hypot(event.clientX - from.x, event.clientY - from.y) > 5;
      from = null;
      const i = nearest(event);
      if (!moved && i !== null) this.chooseClass(i);
    });
  }

  mapKey(event) {
    const step = {ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0]}[event.key];
    if (step) {
      const here = this.facts.places[this.mapAt];
      let best = null, least = Infinity;
      this.facts.places.forEach(([x, y], i) => {
        const dx = x - here[0], dy = y - here[1], along = dx * step[0] + dy * step[1], across = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
        if (i !== this.mapAt && along > 0 && along + 2 * across < least) [best, least] = [i, along + 2 * across];
      });
      if (best !== null) this.pointAt(best);
    } else if (event.key === "Enter" || event.key === " ") this.chooseClass(this.mapAt);
    else if (event.key === "+" || event.key === "=" || event.key === "-") {
      this.camera = {x: this.facts.places[this.mapAt][0], y: this.facts.places[this.mapAt][1], zoom: clamp(this.camera.zoom * (event.key === "-" ? 1 / 1.6 : 1.6), 1, 40)};
      this.paintMap();
    } else return;
    event.preventDefault();
  }

  pointAt(i) {
    const {labels} = this.facts;
    this.mapAt = i;
    const near = [...labels.keys()].filter(j => j !== i).sort((a, b) => this.distances.at(i, a) - this.distances.at(i, b)).slice(0, 3);
    const worst = [...labels.keys()].filter(j => this.confused(i, j)).sort((a, b) => this.confused(i, b) - this.confused(i, a)).slice(0, 3);
    this.mapDetail.replaceChildren(nameOf(labels[i]), ": nearest ", ...near.flatMap((j, at) => [at ? ", " : "", nameOf(labels[j]), ` (${digits(this.distances.at(i, j))})`]),
      ...(worst.length ? ["; taken for ", ...worst.flatMap((j, at) => [at ? ", " : "", nameOf(labels[j]), ` (${this.confused(i, j)})`])] : []));
    this.paintMap();
  }

  // The first class that is chosen waits for the second one.
  chooseClass(i) {
    this.pointAt(i);
    if (this.firstClass === undefined || this.firstClass === i) { this.firstClass = i; this.choose([i], [i]); }
    else { const first = this.firstClass; this.firstClass = undefined; this.choose([first], [i]); }
  }

  mapScale() { return this.camera.zoom * Math.min(this.map.size[0] - 70, this.map.size[1] - 40); }

  toScreen(i) {
    const [width, height] = this.map.size, scale = this.mapScale(), [x, y] = this.facts.places[i];
    return [width / 2 + (x - this.camera.x) * scale, height / 2 + (y - this.camera.y) * scale];
  }

  drawMap(context, width, height, colours) {
    const {k, facts} = this, places = facts.places.map((_, i) => this.toScreen(i)), chosen = this.chosenClasses();
    const line = (i, j, style, thick, dash = []) => {
      context.beginPath();
      context.setLineDash(dash);
      context.strokeStyle = style;
      context.lineWidth = thick;
      context.moveTo(...places[i]);
      context.lineTo(...places[j]);
      context.stroke();
      context.setLineDash([]);
    };
    const count = Number(this.shownPairs.value);
    this.near = this.near || facts.labels.map((_, i) => [...facts.labels.keys()].filter(j => j !== i).sort((a, b) => this.distances.at(i, a) - this.distances.at(i, b)).slice(0, 8));
    for (let i = 0; i < k; i++) for (const j of this.near[i].slice(0, count)) line(i, j, colours.line, 1);
    const counts = this.confusions ? [...this.confusions].sort((a, b) => b[1] - a[1]).slice(0, count * Math.ceil(k / 6) + 2) : [];
    for (const [at, n] of counts) line(Math.floor(at / k), at % k, colours.confused, 1 + 4 * Math.sqrt(n / counts[0][1]));
    const wishes = [...this.state.wishes].slice(0, 400).concat([...this.state.demands].slice(0, 400));
    for (const [key, wish] of wishes) line(...key.split(",").map(Number), colours.accent, 1.8, wish === "ignore" ? [2, 4] : wish === "apart" ? [] : [7, 4]);
    const size = clamp(110 / Math.sqrt(k), 3, 7);
    places.forEach(([x, y], i) => {
      context.beginPath();
      context.arc(x, y, chosen.has(i) || i === this.mapAt ? size + 2.5 : size, 0, 7);
      context.fillStyle = chosen.has(i) ? colours.accent : this.found(i) ? colours.confused : colours.dot;
      context.fill();
      if (i === this.mapAt) { context.strokeStyle = colours.text; context.lineWidth = 2; context.stroke(); }
    });
    this.nameClasses(context, width, height, colours, places, size, chosen);
  }

  // Names are written where there is room: first of chosen and found classes, then of those that stand alone.
  nameClasses(context, width, height, colours, places, size, chosen) {
    const taken = [], {names, labels} = this.facts;
    const weight = i => (i === this.mapAt) * 8 + chosen.has(i) * 4 + this.found(i) * 2;
    const order = [...labels.keys()].sort((a, b) => weight(b) - weight(a) || this.distances.at(b, this.near[b][0]) - this.distances.at(a, this.near[a][0]));
    context.textBaseline = "middle";
    context.textAlign = "left";
    for (const i of order) {
      const strong = weight(i) > 0;
      context.font = `${strong ? "600 " : ""}12px system-ui, sans-serif`;
      const wide = context.measureText(names[i]).width, [x, y] = places[i];
      for (const [left, top] of [[x + size + 4, y - 7], [x - size - 4 - wide, y - 7], [x - wide / 2, y - size - 17], [x - wide / 2, y + size + 3]]) {
        const box = [left, top, left + wide, top + 14];
        const fits = box[0] > 0 && box[2] < width && box[1] > 0 && box[3] < height;
        const free = taken.every(other => box[2] < other[0] || box[0] > other[2] || box[3] < other[1] || box[1] > other[3]) &&
          places.every(([px, py], j) => j === i || px < box[0] - 2 || px > box[2] + 2 || py < box[1] - 1 || py > box[3] + 1);
        if (!fits || !(free || i === this.mapAt)) continue;
        taken.push(box);
        context.lineWidth = 3;
        context.strokeStyle = colours.paper;
        context.lineJoin = "round";
        context.strokeText(names[i], left, top + 7);
        context.fillStyle = colours.text;
        context.fillText(names[i], left, top + 7);
        break;
      }
    }
  }

  paintMap() { if (this.map) this.map.paint(); }

  // ------------------------------------------------------------------------------------------------ the matrix

  buildMatrix() {
    this.measures = {
      "design": {value: (i, j) => this.design && this.design.at(i, j), low: -1, high: 1, ends: ["−1 apart", "1 alike"], note: "How similar two codewords should be: the nearest design that codewords can match."},
      "wished design": {value: (i, j) => this.asked_ && this.asked_.at(i, j), low: -1, high: 1, ends: ["−1 apart", "1 alike"], note: "The design with your wishes, before it is made possible."},
      "class distances": {value: (i, j) => this.distances && this.distances.at(i, j), note: "Distances between the classes."},
      "columns between codewords": {value: (i, j) => this.apart && this.apart[i * this.k + j], note: "Columns in which two codewords differ."},
      "correction": {value: (i, j) => this.apart && correction(this.apart[i * this.k + j]), note: "Wrong binary classifiers that two classes tolerate."},
    };
    this.measureChoice = make("select", {"aria-label": "what the matrix shows", onchange: () => this.paintMatrix()}, ...Object.keys(this.measures).map(name => make("option", {}, name)));
    this.overlay = make("input", {type: "checkbox", checked: true, onchange: () => this.paintMatrix()});
    this.matrixZoom = make("input", {type: "range", min: 1, max: 8, step: 0.5, value: 1, "aria-label": "zoom of the matrix", oninput: () => { this.matrix.zoom = Number(this.matrixZoom.value); this.paintMatrix(); }});
    this.matrixDetail = make("div", {class: "detail", "aria-live": "polite"});
    const hint = this.readonly ? "" : "; Shift and arrow keys or dragging choose a block; A is apart, I is ignore, Delete clears";
    const {order} = this.facts;
    this.matrix = new Grid(this, {label: `pairs of classes; arrow keys move${hint}`, at: (row, column) => this.showPair(order[row], order[column]),
      pick: this.readonly ? null : block => this.choose(order.slice(block[0], block[1] + 1), order.slice(block[2], block[3] + 1))});
    this.matrix.press = key => {
      const kind = {a: "apart", i: "ignore", Delete: "clear", Backspace: "clear"}[key.length === 1 ? key.toLowerCase() : key];
      if (!kind || this.readonly) return false;
      if (!this.matrix.chosen) this.matrix.choose();
      this.wish(kind);
      return true;
    };
    this.lowEnd = make("span");
    this.highEnd = make("span");
    this.ramp = make("i", {class: "ramp"});
    const scale = make("div", {class: "scale"}, this.lowEnd, this.ramp, this.highEnd, make("i", {class: "dot"}), make("span", {}, "confusions of held-out samples"));
    this.matrixNote = make("p", {class: "soft"});
    const tools = make("div", {class: "tools"}, make("label", {}, "show ", this.measureChoice), make("label", {}, this.overlay, " confusions"), make("label", {}, "zoom ", this.matrixZoom));
    return this.card("matrix", "Pairs of classes", false, tools, make("div", {class: "side"}, make("div", {class: "room"}, this.matrix.root), this.matrixDetail), scale, this.matrixNote);
  }

  paintMatrix() {
    if (!this.matrix) return;
    const {order} = this.facts, {k} = this, measure = this.measures[this.measureChoice.value];
    let {low, high} = measure;
    if (low === undefined) {
      [low, high] = [Infinity, -Infinity];
      for (let i = 0; i < k; i++) for (let j = 0; j < i; j++) { const value = measure.value(i, j); low = Math.min(low, value); high = Math.max(high, value); }
    }
    const diverges = measure.low === -1, neutral = this.dark ? [38, 44, 52] : [244, 245, 246], paper = this.dark ? [64, 70, 78] : [222, 225, 229];
    const colour = value => value === null || value === undefined ? paper : !diverges ? cividis((value - low) / Math.max(high - low, 1e-9)) : value < 0 ? mix(neutral, MINUS, -value) : mix(neutral, PLUS, value);
    const most = this.confusions && this.confusions.size ? Math.max(...this.confusions.values()) : 1;
    const contrast = this.dark ? "#ffffff" : "#000000";
    this.matrix.show({
      rows: k, columns: k, names: order.map(i => this.facts.names[i]), titles: order.map(i => this.facts.labels[i]),
      found: row => this.found(order[row]),
      colour: (row, column) => row === column ? paper : colour(measure.value(order[row], order[column])),
      mark: (context, row, column, x, y, w, h) => {
        const i = order[row], j = order[column], key = State.key(i, j);
        const n = this.overlay.checked ? this.confused(i, j) : 0;
        if (n) {
          context.beginPath();
          context.arc(x + w / 2, y + h / 2, Math.max(1, (w / 2 - 0.5) * Math.sqrt(n / most)), 0, 7);
          context.fillStyle = "#b3005e";
          context.fill();
          if (w > 6) { context.strokeStyle = "#fff"; context.lineWidth = 1; context.stroke(); }
        }
        const wish = this.state.wishes.get(key), demand = this.state.demands.get(key);
        if (wish === undefined && demand === undefined) return;
        context.strokeStyle = contrast;
        context.lineWidth = w > 6 ? 1.5 : 1;
        context.strokeRect(x + 1, y + 1, w - 2, h - 2);
        if (w < 11 || i === j) return;
        context.fillStyle = contrast;
        context.font = `600 ${Math.min(11, w - 3)}px system-ui, sans-serif`;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText(demand !== undefined ? String(demand) : wish === "apart" ? "×" : wish === "ignore" ? "?" : "#", x + w / 2, y + h / 2 + 0.5);
      },
    });
    this.lowEnd.textContent = measure.ends ? measure.ends[0] : Number.isFinite(low) ? digits(low) : "";
    this.highEnd.textContent = measure.ends ? measure.ends[1] : Number.isFinite(high) ? digits(high) : "";
    this.ramp.style.background = `linear-gradient(90deg, ${(diverges ? [MINUS, neutral, PLUS] : CIVIDIS).map(rgb).join(", ")})`;
    this.matrixNote.textContent = measure.note + (this.confusionsFrom ? ` Confusions are those of ${this.confusionsFrom.source} (accuracy ${percent(this.confusionsFrom.accuracy)}).` : "");
    this.showPair(...this.pair);
  }

  showPair(i, j) {
    if (!this.matrixDetail) return;
    const {labels} = this.facts;
    if (i === j) { this.matrixDetail.replaceChildren(make("h3", {}, nameOf(labels[i]))); return; }
    const key = State.key(i, j), wish = this.state.wishes.get(key), demand = this.state.demands.get(key), rows = [];
    if (this.distances) rows.push(["class distance", digits(this.distances.at(i, j))]);
    if (wish !== undefined || demand !== undefined) rows.push(["your wish", this.wishText(wish, demand)]);
    const missed = ((this.result && this.result.wishes) || []).find(row => !row[5] && State.key(row[0], row[1]) === key);
    if (missed) rows.push(["not met", missed[6]]);
    if (this.design) rows.push(["similarity, wished and possible", `${digits(this.asked_.at(i, j))}, ${digits(this.design.at(i, j))}`]);
    if (this.apart) rows.push(["columns between the codewords", `${this.apart[i * this.k + j]} of ${this.code[0].length}`], ["wrong classifiers tolerated", correction(this.apart[i * this.k + j])]);
    if (this.confusions) rows.push(["confusions, there and back", `${this.confused(i, j)}, ${this.confused(j, i)}`]);
    this.matrixDetail.replaceChildren(make("h3", {}, nameOf(labels[i]), " | ", nameOf(labels[j])), make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))])));
  }

  wishText(wish, demand) {
    const parts = [];
    if (wish !== undefined) parts.push(WORDS[wish] || `similarity ${wish}`);
    if (demand !== undefined) parts.push(`at least ${plural(demand, "column")}`);
    return parts.join(", ");
  }

  // ------------------------------------------------------------------------------------------------ wishes

  buildWishes() {
    const pick = name => make("select", {"aria-label": name, onchange: () => this.readSelects()});
    this.selects = [pick("first class or group"), pick("second class or group")];
    this.similarity = make("input", {type: "number", min: -1, max: 1, step: 0.1, value: 0, "aria-label": "similarity from −1 to 1"});
    this.least = make("input", {type: "number", min: 1, max: 999, step: 1, value: 5, "aria-label": "columns between the codewords"});
    this.selectedText = make("p", {class: "chosen", role: "status"});
    this.groupName = make("input", {type: "text", placeholder: "name of a group", "aria-label": "name of a group", dir: "auto"});
    this.groupList = make("ul", {class: "groups"});
    this.wishTable = new Table([{name: "first"}, {name: "second"}, {name: "wish"}, {name: "asked", number: true}, {name: "given", number: true}, {name: "met"}], {label: "wishes, with columns asked for and given", pick: row => this.choose([row[6]], [row[7]]), step: 8});
    this.fillSelects();
    return this.card("wishes", "Your wishes", false,
      make("p", {class: "soft"}, "Click a pair in the matrix or drag over a block, click two classes on the map, or choose here."),
      make("div", {class: "tools"}, ...this.selects), this.selectedText,
      make("div", {class: "tools"}, button("Apart", () => this.wish("apart"), {class: "main"}), button("Ignore", () => this.wish("ignore")), button("Clear", () => this.wish("clear"))),
      make("div", {class: "tools"}, button("Similarity", () => this.wish("number")), this.similarity, button("At least", () => this.wish("demand")), this.least, make("span", {}, "columns")),
      make("div", {class: "tools"}, this.groupName, button("Group the chosen classes", () => this.addGroup())), this.groupList, this.wishTable.all);
  }

  fillSelects() {
    if (!this.selects) return;
    const {order, labels} = this.facts;
    for (const select of this.selects) {
      const classes = make("optgroup", {label: "Classes"}, ...order.map(i => make("option", {value: `c${i}`}, labels[i].slice(0, 120))));
      const groups = make("optgroup", {label: "Groups"}, ...this.state.groups.map(([name], at) => make("option", {value: `g${at}`}, name)), make("option", {value: "all"}, "all classes"));
      select.replaceChildren(make("option", {value: ""}, "as chosen in the matrix"), classes, groups);
    }
    this.groupList.replaceChildren(...this.state.groups.map(([name, members], at) => make("li", {}, make("b", {}, nameOf(name)), ` (${members.length}) `,
      button("Pairs inside", () => this.choose(members, members)), button("Pairs with the others", () => this.choose(members, [...labels.keys()].filter(i => !members.includes(i)))),
      button("Remove", () => this.change({groups: this.state.groups.filter((_, other) => other !== at)}, {silent: true}), {"aria-label": `remove group ${name}`}))));
  }

  readSelects() {
    const sets = this.selects.map((select, at) => select.value === "all" ? [...this.facts.labels.keys()] : select.value[0] === "c" ? [Number(select.value.slice(1))] :
      select.value[0] === "g" ? this.state.groups[Number(select.value.slice(1))][1] : this.selection[at]);
    const [i, j] = [sets[0][0], sets[1][0]];
    if (this.matrix && sets[0].length === 1 && sets[1].length === 1) { this.matrix.chosen = null; this.matrix.move(this.position[i], this.position[j]); this.matrix.showBlock(); }
    this.choose(...sets);
  }

  addGroup() {
    const members = [...this.chosenClasses()].sort((a, b) => a - b), name = this.groupName.value.trim() || `group ${this.state.groups.length + 1}`;
    this.change({groups: [...this.state.groups, [name, members]]}, {silent: true});
    this.groupName.value = "";
  }

  showSelection() {
    if (!this.selectedText) return;
    const {labels} = this.facts, pairs = this.pairsOf(this.selection);
    this.selection.forEach((set, at) => { this.selects[at].value = set.length === 1 ? `c${set[0]}` : ""; });
    if (pairs.length === 1) {
      const [i, j] = pairs[0].split(",").map(Number), text = this.wishText(this.state.wishes.get(pairs[0]), this.state.demands.get(pairs[0]));
      this.selectedText.replaceChildren("Chosen: ", nameOf(labels[i]), " and ", nameOf(labels[j]), text ? ` (${text})` : "");
    } else if (!pairs.length) this.selectedText.replaceChildren("Chosen: ", nameOf(labels[this.selection[0][0]]), "; choose a second class.");
    else this.selectedText.textContent = `Chosen: ${plural(pairs.length, "pair")} of ${this.chosenClasses().size} classes`;
  }

  showWishes() {
    if (!this.wishTable) return;
    const {labels} = this.facts, given = new Map(((this.result && this.result.wishes) || []).map(row => [State.key(row[0], row[1]), row]));
    const keys = new Set([...this.state.wishes.keys(), ...this.state.demands.keys()]);
    this.wishTable.all.hidden = !keys.size;
    this.wishTable.fill([...keys].map(key => {
      const [i, j] = key.split(",").map(Number), row = given.get(key);
      return [labels[i], labels[j], this.wishText(this.state.wishes.get(key), this.state.demands.get(key)), row ? row[3] : null, row ? row[4] : null, row ? (row[5] ? "yes" : "no") : "–", i, j];
    }));
  }

  // ------------------------------------------------------------------------------------------------ settings

  buildSettings() {
    const slider = (name, min, max, change) => {
      const range = make("input", {type: "range", min, max, "aria-label": name, disabled: this.readonly, oninput: () => { number.value = range.value; change(Number(range.value)); }});
      const number = make("input", {type: "number", min, max, "aria-label": `${name}, as a number`, disabled: this.readonly, onchange: () => change(clamp(Math.round(Number(number.value)) || min, min, 9999))});
      return {range, number, set(value, most) { range.max = Math.max(most, value); range.value = value; number.value = value; }};
    };
    const fewest = Math.ceil(Math.log2(this.k));
    this.length = slider("number of columns", fewest, 2 * this.k, n_columns => this.change({n_columns}, {soon: true}));
    this.distance = slider("minimum distance", 1, Math.max(4, this.k), min_distance => this.change({min_distance}, {soon: true}));
    const names = {"balanced": -0.5, "easy": -1, "equidistant": 0, "hard": 1};
    this.allocation = make("select", {"aria-label": "allocation", disabled: this.readonly, onchange: () => this.change({allocation: Number(this.allocation.value)})},
      ...Object.entries(names).map(([name, value]) => make("option", {value}, name)));
    this.curve = new Picture(this, {label: "predicted accuracy against the number of columns", height: 210, draw: (...all) => this.drawCurve(...all)});
    this.curveText = make("p", {class: "soft"});
    const row = (text, part) => make("div", {class: "setting"}, make("span", {}, text), part.range, part.number);
    return this.card("settings", "Length and distance", false, row("columns", this.length), row("minimum distance", this.distance),
      make("div", {class: "tools"}, make("label", {}, "allocation ", this.allocation), make("span", {class: "soft"}, "how class distances become a design")),
      make("div", {class: "picture"}, this.curve.canvas), this.curveText);
  }

  drawCurve(context, width, height, colours) {
    const points = [...this.points.values()].sort((a, b) => a.n_columns - b.n_columns);
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = colours.soft;
    if (!points.length) {
      context.textAlign = "center";
      context.fillText(this.facts.has_samples ? "predicted accuracy: computing" : "without samples there is no predicted accuracy", width / 2, height / 2);
      return;
    }
    const left = 46, right = width - 14, top = 12, bottom = height - 34;
    const low = Math.max(0, Math.min(...points.map(p => p.accuracy - p.standard_error)) - 0.01), high = Math.min(1, Math.max(...points.map(p => p.accuracy + p.standard_error)) + 0.01);
    const [first, last] = [points[0].n_columns, points.at(-1).n_columns];
    const x = m => left + (right - left) * (last > first ? (Math.log(m) - Math.log(first)) / (Math.log(last) - Math.log(first)) : 0.5), y = a => bottom - (bottom - top) * (a - low) / Math.max(high - low, 1e-9);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (let t = 0; t <= 3; t++) {
      const a = low + (high - low) * t / 3;
      context.fillStyle = colours.line;
      context.fillRect(left, y(a), right - left, 1);
      context.fillStyle = colours.soft;
      context.fillText((100 * a).toFixed(1), left - 6, y(a));
    }
    context.textAlign = "center";
    let end = -Infinity;
    for (const p of points) if (x(p.n_columns) - end > 26) { end = x(p.n_columns); context.fillText(p.n_columns, end, bottom + 12); }
    context.fillText("columns", (left + right) / 2, height - 7);
    context.strokeStyle = context.fillStyle = colours.accent;
    context.lineWidth = 2;
    context.beginPath();
    points.forEach((p, at) => context[at ? "lineTo" : "moveTo"](x(p.n_columns), y(p.accuracy)));
    context.stroke();
    for (const p of points) {
      context.beginPath();
      context.arc(x(p.n_columns), y(p.accuracy), 3, 0, 7);
      context.fill();
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(x(p.n_columns), y(p.accuracy - p.standard_error));
      context.lineTo(x(p.n_columns), y(p.accuracy + p.standard_error));
      context.stroke();
    }
    const here = this.result && this.points.get(this.result.n_columns);
    if (here) { context.strokeStyle = colours.confused; context.lineWidth = 2; context.beginPath(); context.arc(x(here.n_columns), y(here.accuracy), 7, 0, 7); context.stroke(); }
  }

  paintCurve() {
    if (!this.curve) return;
    this.curve.paint();
    const here = this.result && this.points.get(this.result.n_columns);
    this.curveText.textContent = here ? `With ${plural(here.n_columns, "column")}, a kernel ridge regression that stands for your learner classifies ${percent(here.accuracy)} ± ${percent(here.standard_error)} of samples that it was not trained on.` : "";
  }

  showState() {
    const {state} = this;
    this.undoButton.disabled = !this.done.length;
    this.redoButton.disabled = !this.undone.length;
    if (this.length) {
      const l = state.n_columns ?? (this.result ? this.result.n_columns : Math.ceil(Math.log2(this.k)));
      this.length.set(l, 2 * this.k);
      this.distance.set(state.min_distance, Math.max(4, Math.ceil(l / 2) + 2));
      if (![...this.allocation.options].some(option => Number(option.value) === state.allocation)) this.allocation.append(make("option", {value: state.allocation}, String(state.allocation)));
      this.allocation.value = String(state.allocation);
    }
    if (this.selects) { this.fillSelects(); this.showSelection(); }
    this.showWishes();
  }

  // ------------------------------------------------------------------------------------------------ certificate

  buildCertificate() {
    this.verdict = make("p", {class: "verdict", role: "status"});
    this.proof = make("dl");
    this.advice = make("div");
    return this.card("certificate", "Certificate", false, this.verdict, this.proof, this.advice);
  }

  showCertificate() {
    if (!this.verdict) return;
    const {result} = this, draft = {draft: " (draft; the search goes on)", stopped: " (draft; the search was stopped)"}[result.stage] || "";
    this.showWishes();
    this.showPairs();
    this.showExport();
    this.verdict.classList.toggle("bad", !!result.error || !result.valid);
    if (result.error) {
      this.verdict.textContent = `No code.${draft}`;
      this.proof.replaceChildren();
      this.advice.replaceChildren(make("p", {}, result.error), ...this.takeLength(result.nearest_length, "Take"));
      return;
    }
    this.verdict.textContent = result.valid ? `Valid${result.optimal ? ", and proven optimal" : ""}${draft}` : `Not valid${draft}: ${result.problems.join("; ")}`;
    const gap = result.objective - result.lower_bound;
    const rows = [["objective ‖l·D − XXᵀ‖²", digits(result.objective)], [`lower bound (${result.bound_from})`, digits(result.lower_bound)],
      ["gap", `${digits(gap)}${result.objective > 0 ? ` (${percent(gap / result.objective)})` : ""}`], ["relative error", digits(result.relative_error)],
      ["columns", result.n_columns], ["minimum distance", result.min_distance], ["wrong classifiers that every pair tolerates", result.correction]];
    const wishes = result.wishes || [], missed = wishes.filter(row => !row[5]);
    if (wishes.length) rows.push(["wishes met", `${wishes.length - missed.length} of ${wishes.length}`]);
    this.proof.replaceChildren(...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, String(value))]));
    const {labels} = this.facts, most = 6;
    const list = missed.slice(0, most).map(([i, j, , asked, given, , why]) => make("li", {}, nameOf(labels[i]), " | ", nameOf(labels[j]),
      `: ${plural(asked, "column")} asked (corrects ${correction(asked)}), ${given} given (corrects ${correction(given)}): ${why}.`));
    this.advice.replaceChildren(...(missed.length ? [make("h3", {}, "Wishes that are not met"), make("ul", {}, ...list, ...(missed.length > most ? [make("li", {}, `and ${missed.length - most} more; the details of a pair say why`)] : []))] : []), ...this.could(result));
  }

  could(result) {
    if (!result.could) return [];
    const {length} = result.could;
    if (length === null) return [make("p", {}, "No number of columns gives every wish the columns that it asks for now; ask for less.")];
    if (length === result.n_columns) return [make("p", {}, `${plural(length, "column")} could give every wish the columns that it asks for, if each is asked for with “At least”.`)];
    return [make("p", {}, `The nearest length that could give every wish these columns is ${length}.`), ...this.takeLength(length, "Try")];
  }

  takeLength(length, word) {
    return length && !this.readonly ? [button(`${word} ${plural(length, "column")}`, () => this.change({n_columns: length}))] : [];
  }

  // ------------------------------------------------------------------------------------------------ code book

  buildCode() {
    this.since = "edit";
    this.rowOrder = make("select", {"aria-label": "order of the classes", onchange: () => this.paintCode()},
      ...[["near", "near classes side by side"], ["name", "by name"], ["column", "by the column at the cursor"], ["changes", "most changed first"]].map(([value, text]) => make("option", {value}, text)));
    this.columnOrder = make("select", {"aria-label": "order of the columns", onchange: () => this.paintCode()},
      ...[["given", "as designed"], ["changes", "most changed first"], ["balance", "most balanced first"], ...(this.facts.column_errors ? [["errors", "most errors first"]] : [])].map(([value, text]) => make("option", {value}, text)));
    const since = make("select", {"aria-label": "what changes are marked against", onchange: () => { this.since = since.value; this.compute(); }}, make("option", {value: "edit"}, "the last edit"), make("option", {value: "start"}, "the start"));
    this.codeDetail = make("div", {class: "detail", "aria-live": "polite"});
    this.grid = new Grid(this, {label: "code book; arrow keys move, Enter sorts the classes by the column", at: (row, column) => this.showEntry(this.rowsShown[row], this.columnsShown[column]),
      column: () => { this.sortColumn = this.columnsShown[this.grid.place[1]]; this.rowOrder.value = "column"; this.paintCode(); }});
    this.codeText = make("div");
    const text = make("details", {ontoggle: () => this.writeCode()}, make("summary", {}, "Code book as text"), this.codeText);
    this.textIsOpen = () => text.open;
    this.codeKey = make("div", {class: "scale"});
    const tools = make("div", {class: "tools"}, make("label", {}, "classes ", this.rowOrder), make("label", {}, "columns ", this.columnOrder), ...(this.readonly ? [] : [make("label", {}, "mark changes since ", since)]));
    return this.card("code", this.parts.size > 1 ? "Code book" : "", true, tools, make("div", {class: "side"}, make("div", {class: "room"}, this.grid.root, this.codeKey), this.codeDetail), text);
  }

  changed(i, j) {
    const old = this.oldCode;
    return !!old && old.length === this.code.length && (j >= old[i].length || "-0+".indexOf(old[i][j]) - 1 !== this.code[i][j]);
  }

  paintCode() {
    if (!this.grid || !this.code) return;
    const {code, k} = this, l = code[0].length, {order, labels, names} = this.facts, words = new Intl.Collator(undefined, {numeric: true});
    this.oldCode = this.readonly ? this.facts.start_code && this.facts.start_code !== this.shownCode ? this.facts.start_code : null : this.before;
    const changesOfRow = Array.from({length: k}, (_, i) => { let n = 0; for (let j = 0; j < l; j++) n += this.changed(i, j); return n; });
    const changesOf = Array.from({length: l}, (_, j) => { let n = 0; for (let i = 0; i < k; i++) n += this.changed(i, j); return n; });
    const balance = j => Math.abs(code.reduce((sum, word) => sum + word[j], 0));
    const sortColumn = Math.min(this.sortColumn ?? 0, l - 1);
    this.rowsShown = {near: () => [...order], name: () => [...order].sort((a, b) => words.compare(labels[a], labels[b])),
      column: () => [...order].sort((a, b) => code[b][sortColumn] - code[a][sortColumn]), changes: () => [...order].sort((a, b) => changesOfRow[b] - changesOfRow[a])}[this.rowOrder.value]();
    const given = [...Array(l).keys()], errors = this.facts.column_errors;
    this.columnsShown = {given: () => given, changes: () => given.sort((a, b) => changesOf[b] - changesOf[a]), balance: () => given.sort((a, b) => balance(a) - balance(b)), errors: () => given.sort((a, b) => errors[b] - errors[a])}[this.columnOrder.value]();
    const sides = {1: PLUS, "-1": MINUS, 0: this.dark ? [60, 66, 74] : NEITHER};
    this.grid.show({
      rows: k, columns: l, tall: true, names: this.rowsShown.map(i => names[i]), titles: this.rowsShown.map(i => labels[i]),
      columnTexts: this.columnsShown.map(String), columnTitles: this.columnsShown.map(j => this.sidesText(j)),
      found: (row, isRow) => isRow && this.found(this.rowsShown[row]),
      colour: (row, column) => {
        const j = this.columnsShown[column], side = sides[code[this.rowsShown[row]][j]];
        return this.cut && j >= this.cut ? mix(side, this.dark ? [40, 44, 50] : [225, 228, 232], 0.75) : side;
      },
      mark: (context, row, column, x, y, w, h) => {
        if (!this.changed(this.rowsShown[row], this.columnsShown[column])) return;
        context.fillStyle = "#fff";
        context.beginPath();
        context.arc(x + w / 2, y + h / 2, clamp(Math.min(w, h) / 5, 0.8, 3.5), 0, 7);
        context.fill();
      },
    });
    const total = changesOf.reduce((a, b) => a + b, 0), key = (side, text) => { const box = make("i", {class: "key"}); box.style.background = rgb(sides[side]); return make("span", {}, box, text); };
    this.codeKey.replaceChildren(key(1, "+1"), key(-1, "−1"), ...(code.some(word => word.includes(0)) ? [key(0, "0, left out")] : []),
      ...(this.oldCode ? [make("span", {}, total ? `white dot: one of ${plural(total, "changed entry", "changed entries")}` : "nothing has changed")] : []));
    this.showEntry(this.rowsShown[this.grid.place[0]], this.columnsShown[this.grid.place[1]]);
    this.writeCode();
  }

  sidesText(j) {
    const side = sign => this.rowsIn(j, sign).map(i => this.facts.names[i]), short = list => list.length > 8 ? `${list.slice(0, 8).join(", ")} and ${list.length - 8} more` : list.join(", ");
    return `column ${j}: ${short(side(1))} against ${short(side(-1))}`;
  }

  rowsIn(j, sign) { return this.facts.order.filter(i => this.code[i][j] === sign); }

  showEntry(i, j) {
    if (i === undefined || j === undefined || !this.code) return;
    const {labels} = this.facts, side = this.code[i][j], most = 40;
    const list = sign => { const rows = this.rowsIn(j, sign); return [...rows.slice(0, most).flatMap((row, at) => [at ? ", " : "", nameOf(labels[row])]), rows.length > most ? ` and ${rows.length - most} more` : ""]; };
    const plus = this.rowsIn(j, 1).length, minus = this.rowsIn(j, -1).length, out = this.k - plus - minus;
    const rows = [["entry", [side > 0 ? "+1" : side < 0 ? "−1" : "0, left out", this.changed(i, j) ? ", changed" : ""]], [`+1, ${plural(plus, "class", "classes")}`, list(1)], [`−1, ${plural(minus, "class", "classes")}`, list(-1)]];
    if (out) rows.push(["left out", [plural(out, "class", "classes")]]);
    if (this.facts.column_errors) rows.push(["wrong outputs in this column", [this.facts.column_errors[j] === null ? "–" : percent(this.facts.column_errors[j])]]);
    this.codeDetail.replaceChildren(make("h3", {}, nameOf(labels[i]), `, column ${j}`), make("dl", {}, ...rows.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, ...value)])));
  }

  // The code book for screen readers and for copying; it is written only while it is open.
  writeCode() {
    if (!this.codeText || !this.textIsOpen() || !this.code) { if (this.codeText) this.codeText.replaceChildren(); return; }
    const body = this.rowsShown.map(i => make("tr", {}, make("th", {scope: "row"}, nameOf(this.facts.labels[i])), make("td", {class: "signs"}, this.columnsShown.map(j => "−0+"[this.code[i][j] + 1]).join(""))));
    this.codeText.replaceChildren(make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "code book as text"}, make("table", {}, make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "class"), make("th", {scope: "col"}, "codeword"))), make("tbody", {}, ...body))));
  }

  // ------------------------------------------------------------------------------------------------ pairs

  buildPairs() {
    const heads = ["first", "second"].map(name => ({name})).concat(["class distance", "wished columns", "columns between", "correction", "confusions"].map(name => ({name, number: true})));
    this.pairTable = new Table(heads, {label: "all pairs of classes", by: 4, down: false, pick: row => {
      this.choose([row[7]], [row[8]]);
      if (this.matrix) this.matrix.move(this.position[row[7]], this.position[row[8]]);
    }});
    return this.card("pairs", "All pairs", true, make("p", {class: "soft"}, "A click on a head sorts; “Find classes” above filters; a click on a name chooses the pair."), this.pairTable.all);
  }

  showPairs() {
    if (!this.pairTable || !this.apart) return;
    const {labels} = this.facts, {k} = this, rows = [], filter = !!this.search.value.trim(), l = this.code[0].length;
    for (let i = 0; i < k; i++) for (let j = i + 1; j < k; j++) if (!filter || this.found(i) || this.found(j)) {
      const h = this.apart[i * k + j];
      rows.push([labels[i], labels[j], this.distances.at(i, j), this.asked_ ? l * (1 - this.asked_.at(i, j)) / 2 : null, h, correction(h), this.confusions ? this.confused(i, j) + this.confused(j, i) : null, i, j]);
    }
    this.pairTable.fill(rows);
  }

  // ------------------------------------------------------------------------------------------------ training

  buildTraining() {
    this.trainButton = button("Train", () => this.train(), {class: "main"});
    this.stopTraining = button("Stop training", () => this.ask("stop training", {}, () => {}), {hidden: true});
    this.progress = make("progress", {max: 1, value: 0, hidden: true, "aria-label": "progress of the training"});
    this.trainingText = make("p", {role: "status"});
    this.comparison = make("div");
    const why = this.facts.cannot_train;
    this.trainButton.disabled = !!why;
    return this.card("training", "Train", true, make("p", {class: "soft"}, why || `Trains ${this.facts.learner} with this code, and compares it on held-out samples with ${this.facts.start_code ? "the model as it was" : "the code without wishes"}.`),
      make("div", {class: "tools"}, this.trainButton, this.stopTraining, this.progress), this.trainingText, this.comparison);
  }

  train() {
    if (!this.shownCode) { this.trainingText.textContent = "Wait for the certificate: there is no code to train with yet."; return; }
    this.comparison.replaceChildren();
    this.ask("train", {state: this.state.json(), code: this.shownCode}, reply => this.showTraining(reply));
    this.trainingText.textContent = "Starting …";
    this.trainButton.disabled = true;
  }

  showTraining(reply) {
    if (!this.trainButton || reply.stage === "none") return;
    const goes = reply.stage === "progress";
    this.trainButton.disabled = goes || !!this.facts.cannot_train;
    this.stopTraining.hidden = this.progress.hidden = !goes;
    if (goes) {
      this.progress.value = reply.share;
      this.trainingText.textContent = `${percent(reply.share)}: ${reply.text}`;
    } else if (reply.stage === "error") this.trainingText.textContent = reply.error;
    else this.showComparison(reply);
    this.root.dataset.training = reply.stage;
  }

  showComparison(reply) {
    const {labels} = this.facts, with_ = (value, error) => `${percent(value)} ± ${percent(error)}`;
    this.trainingText.textContent = `Trained. ${reply.saved || "The model is in the variable .model of the studio."}`;
    const rows = [["accuracy", with_(reply.accuracy[0], reply.accuracy_errors[0]), with_(reply.accuracy[1], reply.accuracy_errors[1]), with_(reply.gain, reply.gain_error)],
      ["binary classifiers", ...reply.n_columns, reply.n_columns[1] - reply.n_columns[0]],
      ["seconds to predict 1000 samples", ...reply.seconds_per_1000.map(digits), digits(reply.seconds_per_1000[1] - reply.seconds_per_1000[0])],
      ...reply.pairs.map(([i, j, before, after, error]) => [[`confusions of `, nameOf(labels[i]), " and ", nameOf(labels[j])], before, after, `${after - before} ± ${error.toFixed(1)}`])];
    this.comparison.replaceChildren(make("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "before and after"}, make("table", {},
      make("thead", {}, make("tr", {}, ...["", "before", "after", "difference"].map((text, j) => j ? make("th", {scope: "col", class: "n"}, text) : make("td")))),
      make("tbody", {}, ...rows.map(([name, ...values]) => make("tr", {}, make("th", {scope: "row"}, ...[name].flat()), ...values.map(value => make("td", {class: "n"}, String(value)))))))),
    make("p", {class: "soft"}, `Measured on ${plural(reply.samples, "held-out sample")}, with the standard errors of these samples.`));
  }

  // ------------------------------------------------------------------------------------------------ export

  buildExport() {
    this.python = make("pre", {tabindex: 0, "aria-label": "Python lines"});
    this.command = make("pre", {tabindex: 0, "aria-label": "command"});
    const copy = (from, text) => button(text, () => navigator.clipboard ? navigator.clipboard.writeText(from.textContent).then(() => this.tell("Copied."), () => this.tell("The browser does not let the page copy: select the text and copy it.")) : this.tell("Select the text and copy it."));
    const pictures = [["map", () => this.map.copy()], ["matrix", () => this.matrix.copy()], ["code book", () => this.grid.copy()], ["accuracy", () => this.curve.copy()]];
    return this.card("export", "Take it with you", true,
      make("div", {class: "tools"}, button("Save the code book (CSV)", () => this.download("code.csv", this.csv(), "text/csv")), ...pictures.map(([name, copy_]) => button(`Picture of the ${name}`, () => copy_().toBlob(blob => this.download(`${name.replace(" ", "-")}.png`, blob))))),
      make("h3", {}, "In Python"), this.python, copy(this.python, "Copy the lines"), make("h3", {}, "On the command line, beside the saved code book"), this.command, copy(this.command, "Copy the command"));
  }

  showExport() {
    if (!this.python || !this.result.python) return;  // a draft has none
    this.python.textContent = this.result.python || "";
    this.command.textContent = this.result.command || "";
  }

  csv() {
    const quote = text => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const head = ["class", ...this.code[0].keys()].join(",");
    return [head, ...this.code.map((word, i) => [quote(this.facts.labels[i]), ...word].join(","))].join("\n") + "\n";
  }

  download(name, content, type) {
    const blob = content instanceof Blob ? content : new Blob([content], {type}), address = URL.createObjectURL(blob);
    const link = make("a", {download: name});
    link.setAttribute("href", address);
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    this.root.dataset.saved = name;
    this.tell(`Saved ${name}.`);
  }

  open(file) {
    const [chosen] = file.files;
    if (!chosen) return;
    chosen.text().then(text => {
      const given = JSON.parse(text);
      if (typeof given !== "object" || given === null || Array.isArray(given)) throw new Error("not a design");
      const state = new State(given, this.facts.labels);
      this.change({...state, n_columns: state.n_columns ?? this.usual});
      this.tell(State.lost(given, this.facts.labels), true);
    }).catch(() => this.tell(`${chosen.name} is no saved design: choose a file that “Save design” wrote.`, true));
    file.value = "";
  }

  // ------------------------------------------------------------------------------------------------ colours

  // Dark if the page around is dark: notebooks have themes of their own.
  theme() {
    const parts = node => { const found = getComputedStyle(node).backgroundColor.match(/[\d.]+/g); return found ? found.map(Number) : null; };
    let dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    for (let node = this.root.parentElement; node; node = node.parentElement || (node.getRootNode().host ?? null)) {
      const found = parts(node);
      if (found && found.length >= 3 && (found.length < 4 || found[3] > 0.5)) { dark = 0.3 * found[0] + 0.59 * found[1] + 0.11 * found[2] < 128; break; }
    }
    this.dark = dark;
    this.root.dataset.theme = dark ? "dark" : "light";
  }

  colours() {
    const style = getComputedStyle(this.root), value = name => style.getPropertyValue(`--${name}`).trim();
    return {text: value("text"), soft: value("soft"), line: value("line"), paper: value("paper"), accent: value("accent"), confused: value("confused"), dot: value("dot")};
  }

  paintAll() {
    this.paintMap();
    this.paintMatrix();
    this.paintCode();
    this.paintCurve();
    if (this.lastSearch !== this.search.value) { this.lastSearch = this.search.value; this.showPairs(); }
  }
}

export function render({model, el}) {
  const studio = new Studio(model, el);
  studio.start();
  return () => studio.close();
}

export default {render};
