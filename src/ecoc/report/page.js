"use strict";
// Elements, tables, heat maps and charts for any section; text is set as text, never as HTML.
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

// A table to sort by its heads and to filter by words; gives a function that changes its rows.
function sortable(root, columns, rows, {pick, only, step = 50, by = null, down = true} = {}) {
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
    body.replaceChildren(...found.slice(0, limit).map(row => make("tr", pick ? {class: "pick", onclick: () => pick(row)} : {},
      ...columns.map((column, j) => make("td", {class: column.number ? "n" : null}, shown(row[j], column))))));
    count.textContent = found.length > limit ? `${limit} of ${found.length} rows` : `${found.length} rows`;
    more.style.display = found.length > limit ? "" : "none";
  }

  show();
  return changed => { rows = changed; show(); };
}

draw.table = (root, data) => {
  const card = make("div", {class: "card"});
  root.append(card);
  sortable(card, data.columns, data.rows);
};

const CIVIDIS = ["00224e", "123570", "3b496c", "575d6d", "707173", "8a8678", "a59c74", "c3b369", "e1cc55", "fee838"]
  .map(hex => [0, 2, 4].map(at => parseInt(hex.slice(at, at + 2), 16)));

function cividis(share) {
  const at = Math.min(Math.max(share, 0), 1) * (CIVIDIS.length - 1), low = Math.min(Math.floor(at), CIVIDIS.length - 2);
  return CIVIDIS[low].map((c, i) => Math.round(c + (at - low) * (CIVIDIS[low + 1][i] - c)));
}

// A matrix of coloured cells under the pointer or the arrow keys; colour(i, j) is [r, g, b], at(i, j) is told where.
function heat(root, {rows, columns, rowNames, columnNames, height, width, what, at, pick}) {
  const canvas = make("canvas", {width: columns, height: rows, tabindex: 0, role: "img", "aria-label": what});
  canvas.style.width = columns * width + "px";
  canvas.style.height = rows * height + "px";
  const mark = make("div", {class: "mark"});
  const names = (list, size, side) => list && size >= 9 ? list.map(name => {
    const item = make("div", {title: name}, name.length > 22 ? name.slice(0, 21) + "…" : name);
    item.style[side] = size + "px";
    item.style.fontSize = Math.min(size - 1, 12) + "px";
    return item;
  }) : [];
  root.append(make("div", {class: "heat"}, make("div", {class: "rows"}, ...names(rowNames, height, "height")),
    make("div", {class: "frame"}, canvas, mark), make("div", {class: "columns"}, ...names(columnNames, width, "width"))));
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

// Points joined by a line, in percent of y; gives a function that marks one of them.
function chart(root, {x, y, xName, yName, ideal = false, sizes = null, low = null, high = null}) {
  const W = 680, H = 280, left = 52, right = 24, top = 12, bottom = 42;
  const svg = (tag, attributes, text) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const [x0, x1] = ideal ? [0, 1] : [Math.min(...x), Math.max(...x)];
  const pad = Math.max(0.01, 0.08 * (Math.max(...y) - Math.min(...y)));
  const y0 = low ?? Math.max(0, Math.min(...y) - pad), y1 = high ?? Math.min(1, Math.max(...y) + pad);
  const px = v => left + (x1 > x0 ? (v - x0) / (x1 - x0) : 0.5) * (W - left - right), py = v => H - bottom - (v - y0) / (y1 - y0) * (H - top - bottom);
  const picture = svg("svg", {viewBox: `0 0 ${W} ${H}`, width: W, height: H, role: "img", "aria-label": `${yName} against ${xName}`});
  const rough = (y1 - y0) / 4, power = 10 ** Math.floor(Math.log10(rough)), step = power * [1, 2, 5, 10].find(n => n * power >= 0.7 * rough);
  for (let v = Math.ceil(y0 / step) * step; v <= y1 + 1e-9; v += step) {
    picture.append(svg("line", {class: "grid", x1: left, x2: W - right, y1: py(v), y2: py(v)}), svg("text", {x: left - 6, y: py(v) + 4, "text-anchor": "end"}, +(100 * v).toFixed(3)));
  }
  const ticks = ideal ? [0, 0.25, 0.5, 0.75, 1] : x.filter((v, i) => i % Math.ceil(x.length / 12) === 0);
  for (const v of ticks) picture.append(svg("text", {x: px(v), y: H - bottom + 17, "text-anchor": "middle"}, ideal ? 100 * v : v));
  picture.append(svg("text", {x: (left + W - right) / 2, y: H - 6, "text-anchor": "middle"}, xName), svg("text", {x: 13, y: (H - bottom) / 2, "text-anchor": "middle", transform: `rotate(-90 13 ${(H - bottom) / 2})`}, yName));
  if (ideal) picture.append(svg("line", {class: "ideal", x1: px(0), y1: py(0), x2: px(1), y2: py(1)}));
  picture.append(svg("polyline", {class: "line", points: x.map((v, i) => px(v) + "," + py(y[i])).join(" ")}));
  x.forEach((v, i) => {
    const dot = svg("circle", {class: "dot", cx: px(v), cy: py(y[i]), r: sizes ? sizes[i] : 3});
    dot.append(svg("title", {}, `${xName} ${shown(v, {percent: ideal})}: ${shown(y[i], {percent: true})}`));
    picture.append(dot);
  });
  const ring = svg("circle", {class: "mark", r: 7, cx: -20, cy: -20});
  picture.append(ring);
  root.append(picture);
  return i => { ring.setAttribute("cx", px(x[i])); ring.setAttribute("cy", py(y[i])); };
}
