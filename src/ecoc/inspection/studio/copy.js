// A model for a page without a host: it answers nothing, and changes only where the page itself changes it.
class Copy {
  constructor(values) { this.values = values; this.listeners = []; }
  get(name) { return this.values[name]; }
  set(name, value) { this.values[name] = value; for (const [event, listener] of this.listeners) if (event === `change:${name}`) listener(); }
  save_changes() {}
  on(event, listener) { this.listeners.push([event, listener]); }
  off(event, listener) { this.listeners = this.listeners.filter(each => each[0] !== event || each[1] !== listener); }
}

globalThis.renderStudio = (values, el) => {
  const model = new Copy({readonly: true, ...values});
  render({model, el});
  return model;
};
for (const el of document.querySelectorAll("[data-studio]")) globalThis.renderStudio(JSON.parse(document.getElementById(el.dataset.studio).textContent), el);
document.dispatchEvent(new Event("ecoc-studio"));
