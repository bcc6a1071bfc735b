// The page of `ecoc studio`: a model for the studio that asks the server, and keeps the design in the address.
import {render} from "./studio.js";

const json = (path, body, signal) => fetch(path, {method: "POST", signal, headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});

// Designs in the address are compressed, because wishes for blocks of classes are long.
async function packed(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), character => character.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text());
}

class Remote {
  constructor(values) {
    this.values = values;
    this.listeners = [];
    this.changed = new Set();
    this.running = new Map();
  }

  get(name) { return this.values[name]; }

  set(name, value) { this.values[name] = value; this.changed.add(name); }

  on(event, listener) { this.listeners.push([event, listener]); }

  off(event, listener) { this.listeners = this.listeners.filter(each => each[0] !== event || each[1] !== listener); }

  save_changes() {
    const changed = this.changed;
    this.changed = new Set();
    if (changed.has("request")) this.ask(this.values.request);
    if (changed.has("state")) this.keep(this.values.state);
  }

  hear(name, value) {
    this.values[name] = value;
    for (const [event, listener] of this.listeners) if (event === `change:${name}`) listener();
  }

  async ask(request) {
    if (request.ask === "cancel" && this.running.has(request.id)) this.running.get(request.id).abort();
    const control = new AbortController();
    if (request.ask !== "cancel") this.running.set(request.id, control);
    try {
      const answer = await json("ask", request, control.signal);
      if (!answer.ok) throw new Error(await answer.text());
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let rest = "", part = await reader.read(); !part.done; part = await reader.read()) {
        const lines = (rest + part.value).split("\n");
        rest = lines.pop();
        for (const line of lines) this.hear("reply", JSON.parse(line));
      }
      if (this.isLost) this.hear("trouble", "");  // it is back
      this.isLost = false;
    } catch (error) {
      if (!control.signal.aborted) this.lost(error);
    } finally {
      this.running.delete(request.id);
    }
  }

  lost(error) {
    const gone = this.isLost = error instanceof TypeError;  // the connection failed
    this.hear("trouble", gone ? "The server does not answer: it was stopped, or it died. Your design is still in this page. Save it with “Save design”, start `ecoc studio` again, and open it there with “Open design”." : error.message);
  }

  async keep(state) {
    const turn = this.turn = (this.turn || 0) + 1, text = await packed(state);
    if (turn !== this.turn) return;  // a later change overtook this one
    history.replaceState(null, "", `#${text}`);
    if (!this.values.keeps_file) return;
    try {
      const answer = await json("state", {state, version: this.values.version});
      if (!answer.ok) throw new Error(await answer.text());
      const {version, conflict} = await answer.json();
      this.values.version = version;
      if (conflict) this.hear("trouble", "Another tab has changed the saved design meanwhile. To see its design, open the address of the command again; the next change here replaces it.");
    } catch (error) {
      this.lost(error);
    }
  }
}

async function start() {
  const el = document.getElementById("studio");
  try {
    const answer = await fetch("facts");
    if (!answer.ok) throw new Error(await answer.text());
    const values = await answer.json();
    let trouble = "";
    if (location.hash.length > 1) {
      try { values.state = await unpacked(location.hash.slice(1)); } catch {
        trouble = "The design in the address is damaged, so the page starts with the usual one. If you saved the design, open it with “Open design”.";
      }
    }
    const model = new Remote(values);
    render({model, el});
    if (trouble) model.hear("trouble", trouble);
  } catch (error) {
    el.textContent = error instanceof TypeError ? "The server does not answer. Start `ecoc studio` again, and open the address that it prints." : error.message;
    el.setAttribute("role", "alert");
  }
}

start();
