// Draws one question. Data reaches the page as text nodes and attributes only, so nothing in it can run.

const CONTEXT_CHARS = 90; // around a quotation
const EDGE_CHARS = 160; // kept at each end of a long stretch of a chunk without evidence

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
    query.facts.length ? null : pair("no answer", query.no_answer ? `${query.no_answer}: no fact is required, and recall is null` : "no fact is required, and recall is null"),
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
  const head = element(
    "tr",
    {},
    element("th", { scope: "col", class: "name" }, "arm"),
    query.facts.map((fact, index) => element("th", { scope: "col", class: "name", title: fact.id }, `fact ${index + 1}: ${data.checkpoints.map(([name]) => name).join(" · ")}`)),
    element("th", { scope: "col", class: "number" }, "recall"),
    element("th", { scope: "col", class: "number" }, `cost, ${data.unit}`),
    element("th", { scope: "col", class: "number" }, "repeated characters"),
    element("th", { scope: "col", class: "number" }, "outdated chunks"),
  );
  const rows = data.arms.map((arm, place) => {
    const [, , , facts, cost, , duplicate, notCurrent] = query.arms[place];
    const chosen = arm.name === armName;
    return element(
      "tr",
      { class: chosen ? "chosen" : null },
      element("th", { scope: "row", class: "name" }, element("button", { type: "button", class: "link", "aria-pressed": String(chosen), onclick: () => onArm(arm.name) }, breakable(arm.name))),
      facts.map((number) => element("td", { class: "name" }, drawState(data, factState(number, data.causes)))),
      element("td", { class: "number" }, facts.length ? (coveredCount(query, place) / facts.length).toFixed(3) : "null"),
      element("td", { class: "number" }, count(cost)),
      element("td", { class: "number" }, count(duplicate)),
      element("td", { class: "number" }, count(notCurrent)),
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
    const words = `${held ? "covered" : "not covered"} by ${data.checkpoints[place][1]}`;
    return element("span", { class: held ? "check held" : "check gone", role: "img", "aria-label": words, title: words }, held ? "✓" : "✗");
  });
  return [element("span", { class: "checks" }, checks), state.cause ? element("span", { class: "small", title: state.cause[2] }, ` ${state.cause[1]}`) : null];
}

// A name that may wrap after each +.
function breakable(name) {
  return name.split("+").flatMap((part, place) => (place ? ["+", element("wbr"), part] : [part]));
}

function drawTrail(data, query, marks, armName, onArm) {
  const place = data.arms.findIndex((arm) => arm.name === armName);
  const arm = data.arms[place];
  const found = trail(data, query, place);
  const choice = element(
    "select",
    { "aria-label": "Arm whose candidates are shown", onchange: (event) => onArm(event.target.value) },
    data.arms.map((other) => element("option", { value: other.name, selected: other.name === armName }, other.name)),
  );
  return element(
    "section",
    { class: "trail" },
    element("h3", {}, "Candidates of ", choice),
    element("p", {}, summary(data, arm, found)),
    drawLosses(query, found),
    found.count ? drawCandidates(data, marks, arm, found) : null,
    found.unseen.length
      ? element("p", { class: "small" }, `The context also holds ${plural(found.unseen.length, "chunk")} ranked below what queries.jsonl keeps (score.trail): `, found.unseen.map((chunk) => [code(data.chunks[chunk].id), " "]))
      : null,
  );
}

function summary(data, arm, found) {
  if (!found.count) return "No candidate: nothing that is eligible scored above 0.";
  const parts = [`${plural(found.count, "candidate")}, ${count(found.context.length)} selected`];
  const limits = [arm.top_k === null ? null : `at most ${plural(arm.top_k, "chunk")}`, arm.budget === null ? null : `at most ${count(arm.budget)} ${arm.unit}`];
  parts.push(` (${limits.filter(Boolean).join(" and ")})`);
  parts.push(`. The context costs ${count(found.cost)} ${data.unit}: ${count(found.unique)} distinct source characters, ${count(found.duplicate)} repeated.`);
  return parts.join("");
}

function drawLosses(query, found) {
  const lost = found.facts.map((state, index) => [state, index]).filter(([state]) => state.cause);
  if (!lost.length) return null;
  return element(
    "ul",
    { class: "losses" },
    lost.map(([{ cause }, index]) => element("li", {}, element("strong", {}, `fact ${index + 1}`), " ", code(query.facts[index].id), ` is lost: ${cause[1]}. ${cause[2]} `, code(cause[0]))),
  );
}

function drawCandidates(data, marks, arm, found) {
  const items = [];
  let before = 0;
  for (const candidate of found.candidates) {
    if (candidate.rank > before + 1) items.push(drawGap(before + 1, candidate.rank - 1));
    items.push(drawCandidate(data, marks, arm, candidate));
    before = candidate.rank;
  }
  if (before < found.count) items.push(drawGap(before + 1, found.count));
  return element("ol", { class: "candidates" }, items);
}

function drawGap(from, to) {
  const ranks = from === to ? `rank ${count(from)}` : `ranks ${count(from)} to ${count(to)}`;
  return element("li", { class: "gap small" }, `${ranks}: not shown; the whole list is in the results of stage fuse`);
}

function drawCandidate(data, marks, arm, candidate) {
  const chunk = data.chunks[candidate.chunk];
  const near = marks.get(chunk.document) || [];
  const skipped = candidate.skipped;
  const left = skipped && skipped.remaining !== null ? `, ${count(skipped.remaining)} ${arm.unit} were left` : "";
  return element(
    "li",
    { class: candidate.place ? "candidate selected" : "candidate skipped" },
    element(
      "p",
      { class: "facets" },
      element("strong", {}, `${count(candidate.rank)}.`),
      element("span", { title: String(candidate.score) }, `score ${shortNumber(candidate.score)}`),
      candidate.tied ? tag("tie") : null,
      candidate.place ? tag(`selected, place ${candidate.place}`, "good") : tag(`skipped: ${skipped.reason[1]}${left}`, "bad"),
      element("span", {}, where(data, chunk.document, chunk.spans)),
      element("span", { class: "small", title: "chunk_id" }, code(chunk.id)),
    ),
    element("p", { class: "small" }, candidate.terms.length ? ["shared terms: ", candidate.terms.map((term) => [code(term), " "])] : "no shared term", held(chunk, near)),
    drawChunkText(data, chunk, near),
  );
}

// How much of each fact's evidence in this document the chunk holds.
function held(chunk, marks) {
  return marks.flatMap((mark) => {
    const shared = chunk.spans.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, mark.end) - Math.max(start, mark.start)), 0);
    if (!shared) return [];
    const whole = mark.end - mark.start;
    return [tag(`fact ${mark.label}: ${shared === whole ? "all" : count(shared)} of ${count(whole)} characters of its evidence here`, shared === whole ? "good" : "warn")];
  });
}

function drawChunkText(data, chunk, marks) {
  const text = data.documents[chunk.document].text;
  const all = chunk.spans.map(([start, end]) => pieces(start, end, marks));
  const short = all.map((list) => shorten(list, EDGE_CHARS));
  const box = element("div", { class: "chunk-text", dir: "auto" });
  const fill = (spans) => {
    box.replaceChildren(
      ...spans.map((list) =>
        element(
          "p",
          {},
          list.map((piece) => {
            if (piece.omitted) return element("button", { type: "button", class: "link small", onclick: () => fill(all) }, ` … show ${count(piece.end - piece.start)} more characters … `);
            const words = text.slice(piece.start, piece.end);
            return piece.labels.length ? mark(piece.labels, words) : words;
          }),
        ),
      ),
    );
  };
  fill(short);
  return box;
}

function shortNumber(number) {
  return Number.isInteger(number) ? count(number) : String(Number(number.toPrecision(5)));
}
