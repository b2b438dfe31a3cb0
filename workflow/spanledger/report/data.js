"use strict";
// Reads the embedded data, whose form payload.py describes. Spans are half-open and count code points; JavaScript
// strings count UTF-16 code units, so a text with characters outside the Basic Multilingual Plane needs a map.

class SourceText {
  constructor(text) {
    this.text = text;
    this.map = undefined; // null: both units agree
  }

  units() {
    if (this.map === undefined) {
      this.map = null;
      if (/[\ud800-\udbff][\udc00-\udfff]/.test(this.text)) {
        const starts = [];
        for (let unit = 0; unit < this.text.length; unit += this.text.codePointAt(unit) > 0xffff ? 2 : 1) starts.push(unit);
        starts.push(this.text.length);
        this.map = Uint32Array.from(starts);
      }
    }
    return this.map;
  }

  // The number of code points.
  get length() {
    const map = this.units();
    return map ? map.length - 1 : this.text.length;
  }

  // The text of a span in code points.
  slice(start, end) {
    const map = this.units();
    return map ? this.text.slice(map[start], map[end]) : this.text.slice(start, end);
  }
}

function decode(data) {
  const documents = data.documents.map(([id, version, current, visibility, text]) => ({
    id, version, current, visibility, text: new SourceText(text),
  }));
  // A chunk that only a context names has no document: the trail in queries.jsonl was cut above it.
  const chunks = data.chunks.map(([id, document, ...edges]) => ({ id, document: document === undefined ? null : document, spans: spansOf(edges) }));
  return { ...data, documents, chunks, byId: new Map(data.queries.map((query, place) => [query.id, place])) };
}

function spansOf(edges) {
  return edges.flatMap((edge, place) => (place % 2 ? [] : [[edge, edges[place + 1]]]));
}

const SUSPICION = "wrong_gold";

// The failure classes of each lost fact of an arm, in the order of the facts, the primary one first.
function failuresOf(data, query, arm) {
  return query.failed[arm].map((found) =>
    found.map((place) => {
      const [failure, why] = query.whys[place];
      const [name, short, fix] = data.failures[failure];
      return { name, short, fix, why };
    }),
  );
}

// What happened to one fact of one arm; null where it is not known.
function factState(number, causes, unknown) {
  const cause = number >> 3;
  return {
    held: [unknown ? null : Boolean(number & 1), Boolean(number & 2), Boolean(number & 4)],
    cause: cause ? causes[cause - 1] : null,
  };
}

// What would bring a fact of an arm back (see scoring/needed.py), or null.
function neededBy(query, arm, fact) {
  return query.needs[query.needed[arm][fact] - 1] || null;
}

// Whether an arm lost a fact of a query, to one cause and one primary failure class, or (without a code) to any. A
// suspicion that the gold is wrong is never primary.
function lost(data, query, arm, code, failure) {
  let place = 0;
  return query.arms[arm][3].some((number) => {
    if (number & 4) return false;
    const classes = query.failed[arm][place++].map((why) => data.failures[query.whys[why][0]][0]);
    const failed = !failure || classes[0] === failure || (failure === SUSPICION && classes.includes(failure));
    return failed && (!code || data.causes[(number >> 3) - 1]?.[0] === code);
  });
}

// How many facts of a query an arm has in its context.
function coveredCount(query, arm) {
  return query.arms[arm][3].filter((number) => number & 4).length;
}

// One arm's trail of a query: candidates in rank order, each with its place in the context (from 1) or why it was skipped,
// and what fusion and re-ranking knew of it; passages where they are not the chunks themselves.
function trail(data, query, arm) {
  const [list, context, runs, facts, cost, unique, duplicate, notCurrent, firstRank, bestSingle, coveredAt, attainable, passages] = query.arms[arm];
  const held = query.lists[list];
  const { branches, features } = data.arms[arm];
  const places = new Map(context.map((chunk, place) => [chunk, place + 1]));
  const reasons = runs.flatMap(([reason, remaining, many]) => Array(many).fill({ reason: data.reasons[reason], remaining }));
  let skipped = 0;
  const failures = failuresOf(data, query, arm);
  let failed = 0;
  const candidates = held.chunks.map((chunk, index) => {
    const place = places.get(chunk) || null;
    return {
      chunk,
      rank: held.ranks ? held.ranks[index] : index + 1,
      score: held.scores[index],
      tied: held.scores[index] === held.scores[index - 1] || held.scores[index] === held.scores[index + 1],
      terms: query.terms[held.terms[index]],
      branches: held.branch_ranks ? branches.map((name, branch) => ({ name, rank: held.branch_ranks[branch][index] })) : null,
      before: held.ranks_before ? { rank: held.ranks_before[index], score: held.scores_before[index] } : null,
      features: held.features
        ? features.map(([one, several, weight], feature) => ({ one, several, weight, value: held.features[feature][index] }))
        : null,
      place,
      skipped: place ? null : reasons[skipped++],
    };
  });
  const shown = new Set(held.chunks);
  return {
    count: held.count,
    characters: held.char,
    candidates,
    context,
    unseen: context.filter((chunk) => !shown.has(chunk)),
    passages: passages
      ? passages.map(([document, characters, chunks, ...edges]) => ({ document, characters, chunks, spans: spansOf(edges) }))
      : null,
    facts: facts.map((number, fact) => ({
      ...factState(number, data.causes, data.arms[arm].unknown),
      needed: neededBy(query, arm, fact),
      failures: number & 4 ? [] : failures[failed++],
    })),
    cost,
    unique,
    duplicate,
    notCurrent,
    firstRank,
    attainable: attainable.map((number) => (number === null ? null : { facts: number >> 1, exact: !(number & 1) })),
    bestSingle,
    coveredAt,
  };
}

// Cuts [start, end) wherever a mark begins or ends: pieces in order, each with the labels of the marks that hold it.
function pieces(start, end, marks) {
  const inside = marks.filter((mark) => mark.start < end && mark.end > start);
  const cuts = new Set([start, end]);
  for (const mark of inside) {
    cuts.add(Math.max(start, mark.start));
    cuts.add(Math.min(end, mark.end));
  }
  const edges = [...cuts].sort((a, b) => a - b);
  return edges.slice(1).map((to, index) => {
    const from = edges[index];
    const labels = new Set(inside.filter((mark) => mark.start <= from && to <= mark.end).map((mark) => mark.label));
    return { start: from, end: to, labels: [...labels] };
  });
}

// Leaves out the middle of long pieces without a mark: a piece that is left out has `omitted` instead of labels.
function shorten(list, edge) {
  return list.flatMap((piece, index) => {
    if (piece.labels.length || piece.end - piece.start <= 3 * edge) return [piece];
    const head = index === 0 ? 2 * edge : edge;
    const tail = index === list.length - 1 ? 0 : edge;
    return [
      { ...piece, end: piece.start + head },
      { start: piece.start + head, end: piece.end - tail, omitted: true },
      ...(tail ? [{ ...piece, start: piece.end - tail }] : []),
    ];
  });
}

// The evidence of a query as marks by document; a label is the number of the fact, from 1.
function evidenceMarks(query) {
  const marks = new Map();
  query.facts.forEach((fact, index) => {
    for (const [document, start, end] of fact.support.flat()) {
      if (!marks.has(document)) marks.set(document, []);
      marks.get(document).push({ start, end, label: index + 1 });
    }
  });
  return marks;
}

// The state of the page that a link holds: the open question, the filters, and the arm whose trail the question shows
// where that is not the arm of the filters.
const STATE_KEYS = ["question", "arm", "show", "cause", "failure", "text", "trail"];

function readHash(hash) {
  const state = {};
  for (const pair of hash.replace(/^#/, "").split("&")) {
    const [key, value] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    if (!pair.includes("=") || !STATE_KEYS.includes(key)) continue;
    try {
      state[key] = decodeURIComponent(value); // + stands for itself: it joins the names of an arm
    } catch {
      state[key] = value;
    }
  }
  return state;
}

function writeHash(state) {
  const pairs = STATE_KEYS.filter((key) => state[key]).map((key) => `${key}=${encodeURIComponent(state[key]).replace(/%2B/g, "+")}`);
  return pairs.length ? `#${pairs.join("&")}` : "";
}

// Whether a query passes the filters: { text, arm, show, cause, failure }; without an arm it is enough that one arm does.
function passes(data, query, filters) {
  const text = (filters.text || "").trim().toLowerCase();
  if (text && ![query.id, query.text, ...query.tags].some((field) => field.toLowerCase().includes(text))) return false;
  const required = query.facts.length;
  if (filters.show === "no_answer" && !query.no_answer) return false;
  const chosen = filters.arm ? data.arms.findIndex((arm) => arm.name === filters.arm) : -1;
  const arms = chosen < 0 ? data.arms.map((_, place) => place) : [chosen];
  if (filters.show === "lost" && !arms.some((arm) => lost(data, query, arm))) return false;
  if (filters.show === "complete" && !(required && arms.every((arm) => coveredCount(query, arm) === required))) return false;
  if (filters.show === "differ" && new Set(query.arms.map((arm) => arm[3].map((number) => number & 4).join())).size < 2) {
    return false;
  }
  const wanted = filters.cause || filters.failure;
  return !wanted || arms.some((arm) => lost(data, query, arm, filters.cause, filters.failure));
}
