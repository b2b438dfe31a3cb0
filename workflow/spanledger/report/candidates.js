// Draws what one arm did with one question: what it sent, and its candidates, with the reasons for their order.

const EDGE_CHARS = 160; // kept at each end of a long stretch of text without evidence

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
    drawLosses(arm, query, found),
    found.passages && found.passages.length ? drawPassages(data, marks, found) : null,
    found.count ? drawCandidates(data, marks, arm, found) : null,
    found.unseen.length
      ? element("p", { class: "small" }, `The context also holds ${plural(found.unseen.length, "chunk")} ranked below what queries.jsonl keeps (score.trail): `, found.unseen.map((chunk) => [code(data.chunks[chunk].id), " "]))
      : null,
  );
}

function summary(data, arm, found) {
  if (!found.count && arm.elsewhere) return "No candidate: the run has none for this question.";
  if (!found.count) return arm.keeps_zero ? "No candidate: nothing is eligible." : "No candidate: nothing that is eligible scored above 0.";
  const limits = [
    arm.top_k === null ? null : `at most ${plural(arm.top_k, arm.parents ? "passage" : "chunk")}`,
    arm.budget === null ? null : `at most ${count(arm.budget)} ${arm.unit}`,
  ];
  return [
    `${plural(found.count, "candidate")} of ${plural(found.characters, "character")} together, ${count(found.context.length)} selected (${limits.filter(Boolean).join(" and ")})`,
    found.passages ? ` and sent as ${plural(found.passages.length, "passage")}` : "",
    `. The context costs ${count(found.cost)} ${data.unit}: ${count(found.unique)} distinct source characters, ${count(found.duplicate)} repeated.`,
    arm.headed ? " Titles and table headers were searched with the text; they are not shown, and shared terms may stand there." : "",
  ].join("");
}

// The context where it is not the selected chunks as they are: their parents, or one passage of those that touch.
function drawPassages(data, marks, found) {
  const ranks = new Map(found.candidates.map((candidate) => [candidate.chunk, candidate.rank]));
  const name = (chunk) => (ranks.has(chunk) ? `candidate ${count(ranks.get(chunk))}` : data.chunks[chunk].id);
  return element(
    "section",
    {},
    element("h4", {}, "The context as it is sent"),
    element(
      "ol",
      { class: "candidates" },
      found.passages.map((passage, index) => {
        const near = marks.get(passage.document) || [];
        return element(
          "li",
          { class: "passage selected" },
          element(
            "p",
            { class: "facets" },
            element("strong", {}, `passage ${index + 1}`),
            element("span", {}, plural(passage.characters, "character")),
            element("span", {}, `from ${passage.chunks.map(name).join(", ")}`),
            element("span", {}, where(data, passage.document, passage.spans)),
            held(passage, near),
          ),
          drawText(data, passage, near),
        );
      }),
    ),
    element("h4", {}, "The candidates"),
  );
}

function drawLosses(arm, query, found) {
  const lost = found.facts.map((state, index) => [state, index]).filter(([state]) => state.cause);
  if (!lost.length) return null;
  return element(
    "ul",
    { class: "losses" },
    lost.map(([{ cause, failures, needed }, index]) =>
      element(
        "li",
        {},
        element("strong", {}, `fact ${index + 1}`), " ", code(query.facts[index].id), ` is lost: ${cause[1]}. ${cause[2]} `, code(cause[0]),
        element("p", { class: "needed" }, saysNeeded(arm, needed)),
        element("ul", {}, failures.map(({ name, short, fix, why }) => element("li", {}, element("strong", {}, short), ` ${why}. `, element("span", { class: "small" }, "Fix: ", fix.split("`").map((part, index) => (index % 2 ? code(part) : part)), " "), code(name)))),
      ),
    ),
  );
}

// What would bring a lost fact back: by itself a larger limit, each at its smallest value that does; or what has to change
// before anything can find it.
function saysNeeded(arm, needed) {
  const every = [
    ...["budget", "top_k"].map((name) => [name, arm[name], needed?.[name], ""]),
    ...arm.branches.map((branch, place) => ["depth", arm.depths[place], needed?.depth?.[branch], ` in branch ${branch}`]),
  ].filter(([, now]) => now !== null);
  const unknown = needed?.unknown || [];
  const limits = every.filter(([name]) => !unknown.includes(name));
  const ways = limits.filter(([, , value]) => value).map(([name, now, value, where]) => `${name} ${count(value)} instead of ${count(now)}${where}`);
  const before = [
    ...(needed?.chunk || []).map((e) => `a chunk that holds [${count(e.start)}, ${count(e.end)}) of ${e.doc_id}/${e.version}`),
    needed?.eligibility ? `a filter that lets it in (${needed.eligibility.join(", ")})` : null,
  ].filter(Boolean);
  const names = [...new Set(limits.map(([name]) => name))];
  return [
    before.length ? `Needs ${before.join(" and ")}. ` : null,
    ways.length ? `Needs ${ways.join(", or ")}, all else equal.` : null,
    before.length || ways.length || !names.length ? null : `No larger ${names.join(" or ")} brings it back by itself.`,
    unknown.length ? ` Whether a larger ${unknown.join(" or ")} does is not worked out: a plugin decides.` : null,
  ];
}

function drawCandidates(data, marks, arm, found) {
  const items = [];
  let before = 0;
  for (const candidate of found.candidates) {
    if (candidate.rank > before + 1) items.push(drawGap(before + 1, candidate.rank - 1));
    items.push(drawCandidate(data, marks, arm, found, candidate));
    before = candidate.rank;
  }
  if (before < found.count) items.push(drawGap(before + 1, found.count));
  return element("ol", { class: "candidates" }, items);
}

function drawGap(from, to) {
  const ranks = from === to ? `rank ${count(from)}` : `ranks ${count(from)} to ${count(to)}`;
  return element("li", { class: "gap small" }, `${ranks}: not shown; the whole list is in the results of stage fuse`);
}

function drawCandidate(data, marks, arm, found, candidate) {
  const chunk = data.chunks[candidate.chunk];
  const near = marks.get(chunk.document) || [];
  return element(
    "li",
    { class: candidate.place ? "candidate selected" : "candidate skipped" },
    element(
      "p",
      { class: "facets" },
      element("strong", {}, `${count(candidate.rank)}.`),
      element("span", { title: String(candidate.score) }, `score ${shortNumber(candidate.score)}`),
      candidate.tied ? tag("tie") : null,
      candidate.place ? tag(`selected, ${placeOf(found, candidate)}`, "good") : tag(`skipped: ${whySkipped(arm, candidate.skipped)}`, "bad"),
      element("span", {}, where(data, chunk.document, chunk.spans)),
      element("span", { class: "small", title: "chunk_id" }, code(chunk.id)),
      held(chunk, near),
    ),
    drawReasons(arm, candidate),
    drawText(data, chunk, near),
  );
}

function placeOf(found, candidate) {
  if (!found.passages) return `place ${count(candidate.place)}`;
  const holding = found.passages.flatMap((passage, index) => (passage.chunks.includes(candidate.chunk) ? [count(index + 1)] : []));
  return `passage ${holding.join(" and ")}`;
}

function whySkipped(arm, { reason, remaining }) {
  return `${reason[1]}${remaining === null ? "" : `, ${count(remaining)} ${arm.unit} were left`}`;
}

// Why a candidate stands where it does: its rank in each branch, what re-ranking changed and for what, and shared terms.
function drawReasons(arm, candidate) {
  const none = arm.expands ? "none of the question's own (synonyms were searched for too)" : "none";
  return element(
    "dl",
    { class: "why" },
    candidate.branches
      ? pair("rank by branch", candidate.branches.map(({ name, rank }) => element("span", { class: "item" }, code(name), ` ${rank === null ? "not in its list" : count(rank)}`)))
      : null,
    candidate.before
      ? pair("before re-ranking", [`rank ${count(candidate.before.rank)}, score `, element("span", { title: String(candidate.before.score) }, shortNumber(candidate.before.score))])
      : null,
    candidate.features ? pair("points", drawPoints(candidate.features)) : null,
    pair("shared terms", candidate.terms.length ? candidate.terms.map((term) => element("span", { class: "item" }, code(term))) : none),
  );
}

function drawPoints(features) {
  const given = features.filter(({ value }) => value);
  if (!given.length) return "0: nothing in it gives any";
  return given.map(({ one, several, weight, value }) => {
    const points = value * weight;
    return element("span", { class: "item" }, element("strong", {}, `${points < 0 ? "−" : "+"}${shortNumber(Math.abs(points))}`), ` for ${value === 1 ? one : several.replace("{}", count(value))}`);
  });
}

// How much of each fact's evidence in this document a chunk or a passage holds.
function held({ spans }, marks) {
  return marks.flatMap((mark) => {
    const shared = spans.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, mark.end) - Math.max(start, mark.start)), 0);
    if (!shared) return [];
    const whole = mark.end - mark.start;
    return [tag(`fact ${mark.label}: ${shared === whole ? "all" : count(shared)} of ${count(whole)} characters of its evidence here`, shared === whole ? "good" : "warn")];
  });
}

// The text of the spans of a chunk or a passage, one a paragraph.
function drawText(data, { document: place, spans }, marks) {
  const text = data.documents[place].text;
  const all = spans.map(([start, end]) => pieces(start, end, marks));
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
