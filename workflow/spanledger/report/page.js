// Brings the page to life: sorts the table of arms, filters the questions, and keeps what is shown in the address.

const PAGE_LENGTH = 100; // questions that are listed at a time

function makeSortable(table) {
  const body = table.tBodies[0];
  const original = [...body.rows];
  const headers = [...table.tHead.rows[table.tHead.rows.length - 1].cells];
  headers.forEach((header, column) => {
    const numeric = header.classList.contains("number");
    const button = element("button", { type: "button", class: "sort" }, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const now = header.getAttribute("aria-sort");
      const first = numeric && column > 0 ? "descending" : "ascending";
      const next = now === null ? first : now === first ? (first === "descending" ? "ascending" : "descending") : null;
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      if (next) header.setAttribute("aria-sort", next);
      body.append(...(next ? sorted(original, column, numeric, next === "descending" ? -1 : 1) : original));
    });
  });
}

// Rows by the exact values of a column; rows without a value stand last, equal ones in their first order.
function sorted(rows, column, numeric, direction) {
  const value = (row) => row.cells[column].dataset.value;
  const compare = (a, b) => (numeric ? Number(a) - Number(b) : a < b ? -1 : Number(a > b));
  return [...rows].sort((a, b) => {
    if (value(a) === undefined || value(b) === undefined) return Number(value(a) === undefined) - Number(value(b) === undefined);
    return direction * compare(value(a), value(b));
  });
}

function startQuestions(data) {
  const byName = (name) => document.getElementById(name);
  const inputs = { text: byName("filter-text"), arm: byName("filter-arm"), show: byName("filter-show"), cause: byName("filter-cause"), failure: byName("filter-failure") };
  const list = byName("question-list");
  const more = byName("more-questions");
  let state = {};
  let found = [];
  let unknownArms = [];

  // The arm whose trail an open question shows: the one chosen in it, else that of the filters, else the first that lost
  // what the filters ask for, else the first.
  function armFor(query) {
    const first = data.arms.findIndex((_, place) => lost(data, query, place, state.cause, state.failure));
    return state.trail || state.arm || data.arms[Math.max(0, first)].name;
  }

  function remember() {
    const hash = writeHash(state);
    if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname + location.search);
  }

  function drawItem(place) {
    const query = data.queries[place];
    const open = state.question === query.id;
    const item = element("li", { class: open ? "open" : null, "data-question": query.id });
    const toggle = element(
      "button",
      { type: "button", class: "toggle", "aria-expanded": String(open), onclick: () => choose(open ? "" : query.id) },
      element("span", { class: "question-text", dir: "auto" }, query.text),
      element("span", { class: "small" }, query.id),
      drawOutcomes(data, query, state.arm),
    );
    item.append(toggle);
    if (open) {
      item.append(
        drawQuestion(data, query, armFor(query), (arm) => {
          const chosen = document.activeElement.tagName === "SELECT" ? "h3 select" : "[aria-pressed=true]";
          state.trail = arm;
          remember();
          const fresh = drawItem(place);
          item.replaceWith(fresh);
          fresh.querySelector(chosen).focus({ preventScroll: true });
        }),
      );
    }
    return item;
  }

  function choose(id) {
    const before = state.question;
    const clicked = id || before;
    const top = itemOf(clicked).getBoundingClientRect().top;
    state.question = id;
    state.trail = "";
    remember();
    for (const changed of [before, id]) {
      const item = itemOf(changed);
      if (item) item.replaceWith(drawItem(data.byId.get(changed)));
    }
    const item = itemOf(clicked);
    item.querySelector("button").focus({ preventScroll: true });
    window.scrollBy(0, item.getBoundingClientRect().top - top); // a question above that closed must not move this one
  }

  function itemOf(id) {
    return [...list.children].find((child) => child.dataset.question === id);
  }

  function draw() {
    found = data.queries.map((_, place) => place).filter((place) => passes(data, data.queries[place], state));
    const passing = found.length;
    const open = data.byId.get(state.question);
    if (open !== undefined && !found.includes(open)) found.unshift(open); // a linked question is shown whatever the filters
    const shown = Math.max(PAGE_LENGTH, found.indexOf(open) + 1);
    list.replaceChildren(...found.slice(0, shown).map(drawItem));
    const unknown = [];
    if (state.question && open === undefined) unknown.push(` No question is called "${state.question}".`);
    for (const name of unknownArms) unknown.push(` No arm is called "${name}".`);
    byName("question-count").textContent = `${count(passing)} of ${plural(data.queries.length, "question")}.${unknown.join("")}`;
    more.hidden = found.length <= shown;
    more.onclick = () => {
      const start = list.children.length;
      list.append(...found.slice(start, start + PAGE_LENGTH).map(drawItem));
      more.hidden = found.length <= list.children.length;
    };
  }

  function read() {
    state = readHash(location.hash);
    unknownArms = [state.arm, state.trail].filter((name) => name && !data.arms.some((arm) => arm.name === name));
    if (unknownArms.includes(state.trail)) state.trail = "";
    for (const [key, input] of Object.entries(inputs)) {
      input.value = state[key] || "";
      state[key] = input.value;
    }
    draw();
    const item = itemOf(state.question);
    if (item) item.scrollIntoView();
    else if (Object.keys(readHash(location.hash)).length) byName("questions").scrollIntoView();
  }

  function filter() {
    for (const [key, input] of Object.entries(inputs)) state[key] = input.value;
    state.question = state.trail = "";
    unknownArms = [];
    remember();
    draw();
  }

  const form = byName("filters");
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  window.addEventListener("hashchange", () => {
    if (location.hash.includes("=")) read();
  });
  read();
}

// One small square an arm, so that a look tells which arms lost something.
function drawOutcomes(data, query, armName) {
  const required = query.facts.length;
  if (!required) {
    const found = query.arms.filter(([list]) => query.lists[list].count).length;
    return element("span", { class: "small" }, `no fact is required; candidates in ${found} of ${plural(data.arms.length, "arm")}`);
  }
  const covered = data.arms.map((_, place) => coveredCount(query, place));
  const complete = covered.filter((number) => number === required).length;
  const words = `complete in ${complete} of ${plural(data.arms.length, "arm")}`;
  return element(
    "span",
    { class: "outcomes" },
    element(
      "span",
      { class: "squares", "aria-hidden": "true" },
      covered.map((number, place) => {
        const kind = number === required ? "all" : number ? "some" : "none";
        return element("span", { class: `square ${kind}${data.arms[place].name === armName ? " chosen" : ""}`, title: `${data.arms[place].name}: ${number}/${required} facts` });
      }),
    ),
    element("span", { class: "small" }, words),
  );
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
startQuestions(decode(JSON.parse(document.getElementById("data").textContent)));
