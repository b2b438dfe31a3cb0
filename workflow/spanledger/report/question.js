// Draws one question: what it asks, its evidence, and all arms beside each other. Data reaches the page as text nodes and attributes only, so nothing in it can run.

const CONTEXT_CHARS = 90; // around a quotation

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const count = (number) => number.toLocaleString("en-US");
const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
const code = (text) => element("span", { class: "code" }, text);
const tag = (text, kind = "") => element("span", { class: `tag ${kind}` }, text);
const mark = (labels, text) => element("mark", { "data-facts": labels.join(" "), title: `evidence of fact ${labels.join(", ")}` }, text);

function drawQuestion(data, query, armName, onArm) {
  const marks = evidenceMarks(query);
  return element(
    "div",
    { class: "question" },
    drawAbout(query),
    query.facts.length ? drawFacts(data, query, marks) : null,
    drawMatrix(data, query, armName, onArm),
    drawTrail(data, query, marks, armName, onArm),
  );
}

function drawAbout(query) {
  const versions = query.versions.length ? query.versions.join(", ") : "the current ones";
  return element(
    "dl",
    { class: "about" },
    pair("question", element("span", { dir: "auto" }, query.text)),
    pair("id", code(query.id)),
    pair("asker's groups", query.groups.length ? query.groups.join(", ") : "none"),
    pair("asks about versions", versions),
    query.tags.length ? pair("tags", query.tags.join(", ")) : null,
    query.facts.length
      ? null
      : pair(query.no_answer ? "no answer" : "facts", `${query.no_answer ? `${query.no_answer}: ` : ""}no fact is required, and recall is null. What was found is shown as for any other question; that nothing was found would be no refusal.`),
  );
}

function pair(name, value) {
  return element("div", {}, element("dt", {}, name), element("dd", {}, value));
}

function drawFacts(data, query, marks) {
  return element(
    "section",
    {},
    element("h3", {}, query.facts.length === 1 ? "The required fact and its evidence" : `The ${query.facts.length} required facts and their evidence`),
    element("ol", { class: "facts" }, query.facts.map((fact, index) => drawFact(data, fact, index + 1, marks))),
  );
}

function drawFact(data, fact, number, marks) {
  const several = fact.support.length > 1;
  return element(
    "li",
    {},
    element("p", {}, element("strong", {}, `fact ${number}`), " ", code(fact.id), several ? ` — any one of these ${fact.support.length} groups is enough` : ""),
    fact.support.map((group, place) =>
      element(
        "div",
        { class: "group" },
        several || group.length > 1
          ? element("p", { class: "small" }, `${several ? `group ${place + 1}` : "evidence"}${group.length > 1 ? `: all ${group.length} spans are needed` : ""}`)
          : null,
        group.map((evidence) => drawQuote(data, evidence, marks, number)),
      ),
    ),
  );
}

function drawQuote(data, [place, start, end], marks, number) {
  const text = data.documents[place].text;
  const from = Math.max(0, start - CONTEXT_CHARS);
  const to = Math.min(text.length, end + CONTEXT_CHARS);
  return element(
    "figure",
    {},
    element("figcaption", { class: "small" }, where(data, place, [[start, end]])),
    element(
      "blockquote",
      { dir: "auto" },
      from > 0 ? "… " : null,
      text.slice(from, start),
      mark([number], text.slice(start, end)),
      text.slice(end, to),
      to < text.length ? " …" : null,
    ),
  );
}

// A document version and spans of it, as a person reads them.
function where(data, place, spans) {
  const source = data.documents[place];
  return [
    code(source.id), " ", code(source.version), " ", spans.map(([start, end]) => `[${count(start)}, ${count(end)})`).join(" "),
    source.current ? null : tag("not current", "warn"),
    source.visibility === "public" ? null : tag(source.visibility, "warn"),
  ];
}

function drawMatrix(data, query, armName, onArm) {
  const required = query.facts.length;
  const share = (covered) => `${covered}/${required}`;
  const bound = (known) => (known ? `${known.exact ? "" : "≤ "}${share(known.facts)}` : "not known");
  const columns = [
    ["candidates", "how many candidates there are", (found) => count(found.count)],
    ...(required
      ? [
          ["recall", "facts covered by the context / required facts", (found) => (found.facts.filter((state) => state.held[2]).length / required).toFixed(3)],
          ...data.cutoffs.map((cutoff, place) => [`facts@${cutoff}`, `facts covered by the first ${plural(cutoff, "passage")} of the context`, (found) => share(found.coveredAt[place])]),
          ["first evidence", "the place of the first passage that covers a span of some fact on its own", (found) => found.firstRank === null ? "none" : count(found.firstRank)],
          ["attainable", "the most facts that any choice of the candidates covers under the limits of the selector; ≤ marks an upper bound", (found) => bound(found.attainable[0])],
          ["in the index", "the same of all eligible chunks", (found) => bound(found.attainable[1])],
          ["best chunk", "the most facts that any one eligible chunk covers", (found) => (found.bestSingle === null ? "not known" : share(found.bestSingle))],
        ]
      : [["recall", "there is no fact to cover", () => "null"]]),
    [`cost, ${data.unit}`, "what the context costs", (found) => count(found.cost)],
    ["repeated characters", "source characters of the context beyond the first time", (found) => count(found.duplicate)],
    ["outdated passages", "passages of versions that are not current", (found) => count(found.notCurrent)],
  ];
  const checkpoints = data.checkpoints.map(([name]) => name).join(" · ");
  const head = element(
    "tr",
    {},
    element("th", { scope: "col", class: "name" }, "arm"),
    query.facts.map((fact, index) => element("th", { scope: "col", class: "name", title: fact.id }, `fact ${index + 1}: ${checkpoints}`)),
    columns.map(([name, meaning]) => element("th", { scope: "col", class: "number", title: meaning }, name)),
  );
  const rows = data.arms.map((arm, place) => {
    const found = trail(data, query, place);
    const chosen = arm.name === armName;
    return element(
      "tr",
      { class: chosen ? "chosen" : null },
      element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", "aria-pressed": String(chosen), onclick: () => onArm(arm.name) }, breakable(arm.name))),
      found.facts.map((state) => element("td", { class: "name" }, drawState(data, state))),
      columns.map(([, , shown]) => element("td", { class: "number" }, shown(found))),
    );
  });
  return element(
    "section",
    {},
    element("h3", {}, "All arms"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All arms for this question" }, element("table", { class: "matrix" }, element("thead", {}, head), element("tbody", {}, rows))),
  );
}

function drawState(data, state) {
  const checks = state.held.map((held, place) => {
    if (held === null) {
      const words = `not known of ${data.checkpoints[place][1]}`;
      return element("span", { class: "check", role: "img", "aria-label": words, title: words }, "?");
    }
    const words = `${held ? "covered" : "not covered"} by ${data.checkpoints[place][1]}`;
    return element("span", { class: held ? "check held" : "check gone", role: "img", "aria-label": words, title: words }, held ? "✓" : "✗");
  });
  return [element("span", { class: "checks" }, checks), state.cause ? element("span", { class: "small", title: state.cause[2] }, ` ${state.cause[1]}`) : null,
    state.cause ? element("span", { class: "share", title: state.failures[0].why }, state.failures[0].short) : null];
}

// A name that may wrap after each +.
function breakable(name) {
  return name.split("+").flatMap((part, place) => (place ? ["+", element("wbr"), part] : [part]));
}
