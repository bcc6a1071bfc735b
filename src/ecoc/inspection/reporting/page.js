"use strict";
// Elements, tables, heat maps and charts for any section. Labels are set as text and never as HTML.
const draw = {};

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

function run(calls) {
  const all = JSON.parse(document.getElementById("data").textContent);
  for (const [name, drawing] of calls) draw[drawing](document.querySelector("#" + CSS.escape(name) + " > .drawn"), all[name], all);
}

function shown(value, column) {
  if (value === null || value === undefined) return "–";
  if (typeof value !== "number") return value;
  if (column && column.percent) return (100 * value).toFixed(1) + "%";
  return Number.isInteger(value) ? String(value) : String(+value.toPrecision(4));
}

// A table that the reader can sort by a column and filter by words. Returns a function that replaces the rows.
function sortable(root, columns, rows, {pick, only, marked = new Set(), step = 50, by = null, down = true} = {}) {
  let limit = step, order = by, falling = down, checked = false;
  const search = make("input", {type: "search", placeholder: "filter", "aria-label": "filter", oninput: () => { limit = step; show(); }});
  const box = make("input", {type: "checkbox", onchange: () => { checked = box.checked; limit = step; show(); }});
  const count = make("span", {class: "soft"});
  const body = make("tbody"), more = make("button", {class: "more", onclick: () => { limit += 4 * step; show(); }}, "more rows");
  const heads = columns.map((column, j) => make("th", {class: column.number ? "n" : null, scope: "col"},
    make("button", {type: "button", onclick: () => {
      falling = order === j ? !falling : !!column.number;
      order = j; show();
    }}, column.name)));
  root.append(make("div", {class: "tools"}, search, ...(only ? [make("label", {}, box, " " + only.label)] : []), count),
    make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body), more);
  const words = new Intl.Collator(undefined, {numeric: true});

  function compare(a, b) {
    const x = a[order], y = b[order];
    if (x === null || y === null) return (x === null) - (y === null);
    return (falling ? -1 : 1) * (columns[order].number ? x - y : words.compare(x, y));
  }

  function show() {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const texts = columns.map((column, j) => j).filter(j => !columns[j].number);
    let found = rows.filter(row => (!checked || only.test(row)) && (!wanted.length ||
      (line => wanted.every(word => line.includes(word)))(texts.map(j => row[j]).join(" ").toLowerCase())));
    if (order !== null) found = [...found].sort(compare);
    heads.forEach((head, j) => head.setAttribute("aria-sort", j !== order ? "none" : falling ? "descending" : "ascending"));
    body.replaceChildren(...found.slice(0, limit).map(row => make("tr", pick ? {class: "pick", onclick: () => pick(row)} : marked.has(row) ? {class: "marked"} : {},
      ...columns.map((column, j) => make("td", {class: column.number ? "n" : String(row[j]).length < 20 ? "short" : null}, shown(row[j], column))))));
    count.textContent = found.length > limit ? `${limit} of ${found.length} rows` : `${found.length} rows`;
    more.style.display = found.length > limit ? "" : "none";
  }

  show();
  return changed => { rows = changed; show(); };
}

draw.table = (root, data) => {
  const card = make("div", {class: "card"});
  root.append(card);
  sortable(card, data.columns, data.rows, {marked: new Set(data.marked.map(i => data.rows[i]))});
};

const CIVIDIS = ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"]
  .map(hex => [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16)));

function cividis(share) {
  const at = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1), low = Math.min(Math.floor(at), CIVIDIS.length - 2);
  return CIVIDIS[low].map((c, i) => Math.round(c + (at - low) * (CIVIDIS[low + 1][i] - c)));
}

// A matrix of coloured cells. at(i, j) is called for the cell at the pointer or chosen by arrow keys; paint takes a
// function that returns the colour [r, g, b] of a cell.
function heat(root, {rows, columns, rowNames, columnNames, rowTitles = rowNames, columnTitles = columnNames, height, width, what, at, pick}) {
  const canvas = make("canvas", {width: columns, height: rows, tabindex: 0, role: "img", "aria-label": what});
  canvas.style.width = columns * width + "px";
  canvas.style.height = rows * height + "px";
  const mark = make("div", {class: "mark"});
  // Where cells are smaller than text, every second, third, … name is written, beside the first of its cells.
  const names = (list, titles, size, side) => {
    const every = Math.ceil(9 / size);
    return list.filter((_, i) => i % every === 0).map((name, i) => {
      const item = make("div", {title: titles[i * every], class: every > 1 ? "thin" : null}, name);
      item.style[side] = Math.min(every, list.length - i * every) * size + "px";
      item.style.fontSize = Math.min(every * size - 1, 12) + "px";
      return item;
    });
  };
  root.append(make("div", {class: "heat"}, make("div", {class: "rows"}, ...names(rowNames, rowTitles, height, "height")),
    make("div", {class: "frame"}, canvas, mark), make("div", {class: "columns"}, ...names(columnNames, columnTitles, width, "width"))));
  let place = [0, 0];

  function move(i, j) {
    place = [i, j];
    Object.assign(mark.style, {display: "block", left: j * width - 1 + "px", top: i * height - 1 + "px",
      width: Math.max(width, 4) + 2 + "px", height: Math.max(height, 4) + 2 + "px"});
    at(i, j);
  }

  function cell(event) {
    const box = canvas.getBoundingClientRect();
    const i = Math.floor((event.clientY - box.top) / box.height * rows), j = Math.floor((event.clientX - box.left) / box.width * columns);
    return [Math.min(Math.max(i, 0), rows - 1), Math.min(Math.max(j, 0), columns - 1)];
  }
  canvas.addEventListener("mousemove", event => move(...cell(event)));
  canvas.addEventListener("click", event => { move(...cell(event)); if (pick) pick(...place); });
  canvas.addEventListener("mouseleave", () => { if (pick) pick(null); });
  canvas.addEventListener("keydown", event => {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    move(Math.min(Math.max(place[0] + step[0], 0), rows - 1), Math.min(Math.max(place[1] + step[1], 0), columns - 1));
    if (pick) pick(...place);
  });
  return {
    move,
    paint(colour) {
      const context = canvas.getContext("2d"), image = context.createImageData(columns, rows);
      for (let i = 0, p = 0; i < rows; i++) for (let j = 0; j < columns; j++, p += 4) {
        const [r, g, b] = colour(i, j);
        image.data[p] = r; image.data[p + 1] = g; image.data[p + 2] = b; image.data[p + 3] = 255;
      }
      context.putImageData(image, 0, 0);
    },
  };
}

function svg(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Axes with names, y in percent. Returns the picture, functions from values to positions, its left and right edge, and
// its width: that of the room it has, so that a phone shows all of it in letters of the usual size.
function axes(root, {x, y, xName, yName, xTicks, log = false, xShown = String, height = 280}) {
  const W = Math.max(300, Math.min(680, (root.clientWidth || 720) - 40)), H = height, left = 52, right = 24, top = 12, bottom = 42, at = log ? Math.log : v => v;
  const [x0, x1] = x.map(at), [y0, y1] = y;
  const px = v => left + (x1 > x0 ? (at(v) - x0) / (x1 - x0) : 0.5) * (W - left - right), py = v => H - bottom - (v - y0) / (y1 - y0) * (H - top - bottom);
  const picture = svg("svg", {viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": `${yName} against ${xName}`});
  const rough = (y1 - y0) / 4, power = 10 ** Math.floor(Math.log10(rough)), step = power * [1, 2, 5, 10].find(n => n * power >= 0.7 * rough);
  for (let v = Math.ceil(y0 / step) * step; v <= Math.min(y1, 1) + 1e-9; v += step) {
    picture.append(svg("line", {class: "grid", x1: left, x2: W - right, y1: py(v), y2: py(v)}), svg("text", {x: left - 6, y: py(v) + 4, "text-anchor": "end"}, +(100 * v).toFixed(3)));
  }
  let last = -Infinity;
  for (const v of xTicks) if (px(v) - last >= 30) {
    last = px(v);
    picture.append(svg("text", {x: last, y: H - bottom + 17, "text-anchor": "middle"}, xShown(v)));
  }
  picture.append(svg("text", {x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle"}, xName), svg("text", {x: 13, y: (H - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${(H - bottom) / 2})`}, yName));
  return {picture, px, py, left, right: W - right, width: W};
}

// Ends of an axis of shares with some room around its points. Room for text above them may go beyond 100 %.
const roomy = (low, high, words = 0) => (pad => [Math.max(0, low - pad), Math.max(Math.min(1, high + pad), high + words * (high - low))])(Math.max(words ? 0.002 : 0.01, 0.08 * (high - low)));

// Points joined by a line, y in percent. Returns a function that marks one of the points.
function chart(root, {x, y, xName, yName, ideal = false, sizes = null, ticks = null}) {
  const ends = ideal ? [0, 1] : ticks ? [ticks[0], ticks.at(-1)] : [Math.min(...x), Math.max(...x)];
  const {picture, px, py} = axes(root, {x: ends, y: ideal ? [0, 1] : roomy(Math.min(...y), Math.max(...y)), xName, yName,
    xTicks: ideal ? [0, 0.25, 0.5, 0.75, 1] : ticks || x.filter((v, i) => i % Math.ceil(x.length / 12) === 0), xShown: v => ideal ? 100 * v : v});
  if (ideal) picture.append(svg("line", {class: "ideal", x1: px(0), y1: py(0), x2: px(1), y2: py(1)}));
  picture.append(svg("polyline", {class: "line", points: x.map((v, i) => px(v) + "," + py(y[i])).join(" ")}));
  x.forEach((v, i) => picture.append(svg("circle", {class: "dot", cx: px(v), cy: py(y[i]), r: sizes ? sizes[i] : 3},
    svg("title", {}, `${xName} ${shown(v, {percent: ideal})}: ${shown(y[i], {percent: true})}`))));
  const ring = svg("circle", {class: "mark", r: 7, cx: -20, cy: -20});
  picture.append(ring);
  root.append(picture);
  return i => { ring.setAttribute("cx", px(x[i])); ring.setAttribute("cy", py(y[i])); };
}

const SHAPES = [[[0, 5, 10], 9], [[1, 3, 5, 7], 8], [[0, 4, 8], 12], [[0, 3, 6, 9], 12], [[2, 6, 10], 12]];

// A disc, square, triangle, diamond or downward triangle, in one of four colours.
function shape(group, x, y, r) {
  const [corners, of] = SHAPES[group % SHAPES.length], attributes = {class: `point c${group % 4}`};
  if (group % SHAPES.length === 0) return svg("circle", {...attributes, cx: x, cy: y, r});
  const point = corner => (turn => `${x + 1.3 * r * Math.sin(turn)},${y - 1.3 * r * Math.cos(turn)}`)(2 * Math.PI * corner / of);
  return svg("polygon", {...attributes, points: corners.map(point).join(" ")});
}

draw.scatter = (root, data) => {
  const {rows, columns} = data, xs = rows.map(row => row[data.x]), ys = rows.map(row => row[data.y]), errors = rows.map(row => row[data.error] || 0);
  const groups = [...new Set(rows.map(row => row[data.group]))], lowest = Math.min(...xs), highest = Math.max(...xs), band = data.band;
  const margin = Math.max(1, highest - lowest) / 30, log = highest > 5 * lowest;
  const whole = [...new Set(xs.filter(Number.isInteger))].sort((a, b) => a - b);
  const {picture, px, py, left, right, width} = axes(root, {x: log ? [lowest / 1.1, highest * 1.1] : [lowest - margin, highest + margin], log, height: 380, xTicks: whole.length ? whole : [lowest, highest],
    y: roomy(Math.min(...ys, ...(band || [])), Math.max(...ys, ...(band || []), ...data.marks.map(([i]) => ys[i] + errors[i])), 0.1), xName: columns[data.x].name + (log ? ", logarithmic" : ""), yName: columns[data.y].name + ", %"});
  const groupOf = rows.map(row => groups.indexOf(row[data.group]));
  const places = rows.map((_, i) => [px(xs[i]) + 7 * (groupOf[i] - (groups.length - 1) / 2), py(ys[i])]);  // groups side by side
  if (band) picture.append(svg("rect", {class: "band", x: left, width: right - left, y: py(band[1]), height: py(band[0]) - py(band[1])}));
  if (data.line.length) picture.append(svg("path", {class: "line", d: data.line.map((i, at) => (([x, y]) => at ? `H${x}V${y}` : `M${x},${y}`)(places[i])).join("") + `H${right}`}));
  const bar = svg("path", {class: "error"}), ring = svg("circle", {class: "mark", r: 9}), front = new Set(data.line);
  picture.append(bar);
  const dots = rows.map((row, i) => {
    const dot = shape(groupOf[i], ...places[i], 5);
    for (const [key, value] of Object.entries({tabindex: 0, "aria-label": columns.map((column, j) => `${column.name} ${shown(row[j], column)}`).join(", ")})) dot.setAttribute(key, value);
    if (!front.has(i)) dot.classList.add("dim");
    dot.addEventListener("focus", () => showDetail(i));
    return dot;
  });
  picture.append(...dots, ring);
  // The text of a marked point is above it and to the left, where a Pareto front has no other points, but inside of the
  // picture. If it would overlap another text, it goes below the point.
  const named = [];
  for (const [i, text] of data.marks) {
    const [x, y] = places[i], hits = named.some(([a, b]) => Math.abs(a - x) < 150 && Math.abs(b - y) < 18);
    named.push([x, y]);
    const room = 7.6 * text.length;  // of letters in bold, 13 pixels high, with some to spare
    picture.append(svg("text", {class: "named", x: Math.max(left, Math.min(x + 6, width - 2) - room), y: y + (hits ? 25 : -13)}, text));
  }
  const detail = make("div", {class: "detail", "aria-live": "polite"}), first = data.marks.length ? data.marks[0][0] : 0;

  function showDetail(i) {
    const [x, y] = places[i], [low, high] = [py(ys[i] - errors[i]), py(ys[i] + errors[i])];
    ring.setAttribute("cx", x);
    ring.setAttribute("cy", y);
    bar.setAttribute("d", `M${x - 5},${low}h10m-5,0V${high}m-5,0h10`);
    const name = data.marks.filter(([place]) => place === i).map(([, text]) => text).join(", ");
    detail.replaceChildren(make("h3", {}, name || rows[i][data.group]), make("dl", {}, ...columns.flatMap((column, j) => [make("dt", {}, column.name), make("dd", {}, shown(rows[i][j], column))])));
  }

  picture.addEventListener("mousemove", event => {
    const box = picture.getBoundingClientRect(), scale = width / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    const away = places.map(place => Math.hypot(place[0] - x, place[1] - y));
    showDetail(away.indexOf(Math.min(...away)));
  });
  picture.addEventListener("mouseleave", () => showDetail(first));
  showDetail(first);
  const key = child => svg("svg", {class: "key", viewBox: "0 0 16 14", width: 16, height: 14, "aria-hidden": true}, child);
  const legend = groups.map((name, group) => make("span", {}, key(shape(group, 8, 7, 4.5)), name));
  if (data.line.length && data.notes.line) legend.push(make("span", {}, key(svg("path", {class: "line", d: "M0,11H8V4H16"})), data.notes.line));
  if (band && data.notes.band) legend.push(make("span", {}, key(svg("rect", {class: "band", y: 2, width: 16, height: 10})), data.notes.band));
  root.append(make("div", {class: "card side"}, make("div", {class: "plot"}, picture, make("div", {class: "legend"}, ...legend)), detail));
};
