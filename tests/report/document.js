// As much of a browser as the page's scripts use: elements whose text can be read back, an address, and no layout.
class Node {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, dataset: {}, children: [], parent: null, listeners: {}, value: "", hidden: false });
  }
  get tagName() { return this.tag.toUpperCase(); }
  get text() { return this.children.map((child) => (child instanceof Node ? child.text : child)).join(""); }
  get textContent() { return this.text; }
  set textContent(text) { this.children = [text]; }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
    if (name.startsWith("data-")) this.dataset[name.slice(5)] = String(value);
  }
  addEventListener(name, listener) { this.listeners[name] = listener; }
  fire(name) { this.listeners[name]({ target: this, preventDefault() {} }); }
  append(...children) {
    for (const child of children) {
      if (child instanceof Node) child.parent = this;
      this.children.push(child instanceof Node ? child : String(child));
    }
  }
  replaceChildren(...children) { this.children = []; this.append(...children); }
  replaceWith(other) {
    other.parent = this.parent;
    this.parent.children[this.parent.children.indexOf(this)] = other;
  }
  all(tag, found = []) {
    for (const child of this.children.filter((child) => child instanceof Node)) {
      if (child.tag === tag) found.push(child);
      child.all(tag, found);
    }
    return found;
  }
  querySelector(selector) {
    if (selector === "[aria-pressed=true]") return this.all("button").find((node) => node.attributes["aria-pressed"] === "true");
    return this.all(selector.split(" ").pop())[0];
  }
  focus() { document.activeElement = this; }
  scrollIntoView() {}
  getBoundingClientRect() { return { top: 0 }; }
}

const known = {};
const document = {
  activeElement: new Node("body"),
  createElement: (tag) => new Node(tag),
  getElementById: (id) => (known[id] ??= new Node("div")),
  querySelectorAll: () => [],
};
const location = { hash: "", pathname: "/report.html", search: "" };
const history = { replaceState: (_, __, url) => { location.hash = url.startsWith("#") ? url : ""; } };
const window = new Node("window");
window.scrollBy = () => {};
