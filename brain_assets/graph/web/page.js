"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  let say = WORDS[(navigator.language || "en").startsWith("de") ? "de" : "en"];
  const scheme = matchMedia("(prefers-color-scheme: dark)"), look = {};
  const colours = data.relations, kinds = Object.keys(colours);
  const edges = data.edges.map(([s, t, k, confidence, flags, own, other, reason, more]) => ({
    source: data.nodes[s].id, target: data.nodes[t].id, relation: kinds[k], confidence, directed: !!(flags & 1), weak: !!(flags & 2),
    source_quote: data.texts[own], target_quote: data.texts[other], reason: data.texts[reason], ...more,
  }));
  const hidden = new Set(data.hidden), byId = new Map(data.nodes.map((n) => [n.id, n])), topics = new Map(data.topics.map((t) => [t.id, t]));
  const groups = new Map(data.groups.map((g) => [g.id, g.label]));
  let least = 0, chosen = null, topic = null, around = null, ties = false, renderer;

  // Texts come from notes and knowledge bases: they only ever become text nodes, never markup.
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== null) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const mark = (colour, dot) => { const i = make("i", null, dot ? { class: "dot" } : {}); i.style.background = colour; return i; };
  const button = (text, action, ...before) => { const b = make("button", null, { type: "button" }); b.append(...before, make("span", text)); b.onclick = action; return b; };
  const named = (t) => t.label || say.outliers;
  const blend = (hex, share) => "#" + [1, 3, 5].map((i) => Math.round(parseInt(hex.slice(i, i + 2), 16) * (1 - share) + parseInt(look.paper.slice(i, i + 2), 16) * share).toString(16).padStart(2, "0")).join("");
  const QUIET = new Set(["same_topic", "references", "supports", "synthesized_from"]);
  const dress = () => {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "paper", "soft"]) look[name] = style.getPropertyValue("--" + name).trim();
    look.card = style.getPropertyValue("--card").trim().slice(0, 7);
    look.faint = blend(look.ink, 0.86);
    look.edge = Object.fromEntries(kinds.map((k) => [k, blend(colours[k], QUIET.has(k) ? 0.45 : 0.1)]));
  };
  dress();

  const graph = new graphology.MultiDirectedGraph();
  for (const n of data.nodes) graph.addNode(n.id, { x: n.x, y: n.y, size: n.size, label: cut(n.topic === "outliers" && data.aggregated ? say.outliers : n.title, 46), color: n.color, topic: n.topic, type: SHAPE_OF[n.kind] || "diamond" });
  edges.forEach((e, i) => graph.addEdgeWithKey(String(i), e.source, e.target, { size: e.width || 0.5 + 1.3 * e.confidence, type: e.directed && !data.aggregated ? "arrow" : "line" }));
  const passes = (e) => !hidden.has(e.relation) && e.confidence >= least;
  const draws = (e) => {
    if (!passes(e)) return false;
    if (chosen) return e.source === chosen || e.target === chosen;
    if (topic) return byId.get(e.source).topic === topic || byId.get(e.target).topic === topic;
    return ties || !e.weak;
  };
  const of = (id) => { const found = []; graph.forEachEdge(id, (key) => found.push(edges[key])); return found.filter(passes).sort((a, b) => kinds.indexOf(a.relation) - kinds.indexOf(b.relation) || b.confidence - a.confidence || (b.count || 0) - (a.count || 0)); };

  const labels = new Labels(look);
  const font = (size, weight = "") => `${weight} ${size}px system-ui, "Segoe UI", sans-serif`.trim();
  try {
    if (!document.createElement("canvas").getContext("webgl2")) throw new Error("no WebGL");
    renderer = new Sigma(graph, $("canvas"), {
      nodeProgramClasses: SHAPES, nodeHoverProgramClasses: SHAPES, edgeProgramClasses: LINES, defaultNodeType: "circle", defaultEdgeType: "line", zIndex: true, minCameraRatio: 0.02, maxCameraRatio: 3,
      labelRenderedSizeThreshold: 6, labelDensity: 1.2, labelGridCellSize: 90, hideEdgesOnMove: edges.length > 8000, enableEdgeEvents: edges.length < 4000, stagePadding: 60,
      defaultDrawNodeLabel: (context, d) => { if (d.label) labels.draw(context, d.label, d.x + d.size + 4, d.y + 4, font(d.forced ? 13 : 12, d.forced ? "600" : ""), look.ink, d.forced); },
      defaultDrawNodeHover: (context, d) => {
        if (!d.label) return;
        context.font = font(13, "600");
        const text = byId.get(d.key)?.title || d.label, width = context.measureText(text).width;
        context.fillStyle = look.card; context.strokeStyle = look.soft; context.lineWidth = 1;
        context.beginPath(); context.roundRect(d.x + d.size + 1, d.y - 12, width + 14, 24, 6); context.fill(); context.stroke();
        context.fillStyle = look.ink; context.fillText(text, d.x + d.size + 8, d.y + 5);
      },
      nodeReducer: (id, d) => {
        const off = (around && !around.has(id)) || (!around && topic && d.topic !== topic);
        if (off) return { ...d, color: look.faint, label: "", zIndex: 0 };
        return id === chosen ? { ...d, forceLabel: true, forced: true, zIndex: 2, size: d.size * 1.4 } : { ...d, zIndex: 1, forceLabel: around !== null && around.size < 40 };
      },
      edgeReducer: (key, d) => {
        const e = edges[key];
        return draws(e) ? { ...d, type: chosen || edges.length < (d.type === "arrow" ? FINE : FEW) ? d.type : "thin", color: look.edge[e.relation], zIndex: QUIET.has(e.relation) ? 0 : 1, size: chosen ? d.size * 1.5 : d.size } : { ...d, type: "thin", hidden: true };
      },
    });
  } catch (error) {
    $("failure").hidden = false;
    $("failure").textContent = `${say.failure} (${error.message})`;
    return;
  }

  const regions = [];
  const region = (all, more) => {
    const x = all.reduce((sum, n) => sum + n.x, 0) / all.length, top = Math.max(...all.map((n) => n.y));
    regions.push({ ...more, x, y: all.reduce((sum, n) => sum + n.y, 0) / all.length, top: top + (data.aggregated ? 0.5 : 0.6) });
  };
  const collect = (key) => { const found = new Map(); for (const n of data.nodes) { const k = key(n); if (k) { if (!found.has(k)) found.set(k, []); found.get(k).push(n); } } return found; };
  for (const [id, all] of collect((n) => topics.get(n.topic)?.parent)) region(all, { id, label: groups.get(id) || id, whole: true });
  if (!data.aggregated) for (const [id, all] of collect((n) => n.topic !== "outliers" && n.topic)) region(all, { id, label: topics.get(id).label, color: topics.get(id).color });

  // The names of topics lie on the map like those of countries, until one is near enough to read its entries.
  const names = make("canvas", null, { class: "names" }), pen = names.getContext("2d");
  $("canvas").append(names);
  renderer.on("beforeRender", () => {
    labels.start();
    const { width, height } = renderer.getDimensions(), ratio = devicePixelRatio || 1;
    if (names.width !== Math.round(width * ratio)) { names.width = width * ratio; names.style.width = width + "px"; }
    if (names.height !== Math.round(height * ratio)) { names.height = height * ratio; names.style.height = height + "px"; }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (chosen) return;
    const view = { cameraState: renderer.getCamera().getState() };
    for (const t of regions) {
      if (topic && t.id !== topic) continue;
      const at = renderer.graphToViewport(t, view), rim = renderer.graphToViewport({ x: t.x, y: t.top }, view), far = at.y - rim.y;
      if (far < 9 || far > height || at.x < -50 || at.x > width + 50 || rim.y < -20 || rim.y > height + 20) continue;
      const size = Math.max(11, Math.min(17, Math.round(far / 5))) + (t.whole ? 2 : 0), style = font(size, t.whole ? "700" : "600");
      pen.font = style;
      labels.draw(pen, t.label, at.x - pen.measureText(t.label).width / 2, Math.max(size + 4, rim.y), style, t.whole ? look.ink : t.color, false);
    }
  });

  const refresh = () => {
    around = null;
    if (chosen) { around = new Set([chosen]); for (const e of of(chosen)) { around.add(e.source); around.add(e.target); } }
    renderer.refresh({ skipIndexation: true });
    const left = data.aggregated ? 0 : data.total - edges.length;
    $("counts").textContent = say.counts({ nodes: data.nodes.length, entries: data.entries, topics: data.aggregated, shown: edges.filter(draws).length, total: edges.length, left });
  };

  function edgeCard(e, from) {
    const other = e.source === from ? e.target : e.source, card = make("div", null, { class: "edge" }), row = make("div", null, { class: "row" });
    const arrow = e.directed ? (e.source === from ? "→" : "←") : "↔";
    row.append(make("span", arrow, { "aria-hidden": "true" }), button(byId.get(other).title || say.outliers, () => choose(other, true)), make("span", e.count ? `${e.count} ${say.edges}` : `${e.confidence.toFixed(2)} ${say.sure}`, { class: "number" }));
    card.append(row);
    if (e.reason) card.append(make("p", e.reason));
    for (const text of e.findings || []) card.append(make("p", text, { class: "finding" }));
    const quotes = e.source === from ? [[from, e.source_quote], [other, e.target_quote]] : [[from, e.target_quote], [other, e.source_quote]];
    for (const [id, quote] of quotes) if (quote) { const block = make("blockquote", quote); block.append(make("cite", byId.get(id).title)); card.append(block); }
    for (const [a, x, b, y] of e.examples || []) for (const [title, quote] of [[a, x], [b, y]]) { const block = make("blockquote", quote || "–"); block.append(make("cite", title)); card.append(block); }
    return card;
  }

  const open = (...parts) => { $("about").replaceChildren(...parts); $("detail").hidden = false; $("detail").scrollTop = 0; };
  const heading = (relation, count) => { const h = make("h3", null, { title: say.kinds[relation][1] }); h.append(mark(colours[relation]), make("span", say.kinds[relation][0]), make("span", String(count), { class: "number" })); return h; };

  function show(id) {
    const n = byId.get(id), mine = of(id), parts = [make("h2", n.title || say.outliers), make("p", [say[n.kind] || n.kind, n.path || (n.kind === "topic" ? "" : n.id), n.date, n.status].filter(Boolean).join(" · "))];
    const home = topics.get(n.topic);
    if (home && n.kind !== "topic") parts.push(button(named(home), () => pick(home.id), mark(home.color, true)));
    const count = {};
    for (const e of mine) count[e.relation] = (count[e.relation] || 0) + 1;
    let last = null;
    for (const e of mine.slice(0, 200)) { if (e.relation !== last) parts.push(heading((last = e.relation), count[last])); parts.push(edgeCard(e, id)); }
    if (mine.length > 200) parts.push(make("p", say.more(mine.length - 200)));
    if (!mine.length) parts.push(make("p", say.none));
    if (n.members) {
      parts.splice(2, 0, make("h3", `${n.members.length} ${say.entries}`), ...n.members.slice(0, 300).map(([, title]) => make("div", title)));
      if (n.members.length > 300) parts.splice(303, 0, make("p", say.more(n.members.length - 300)));
    }
    open(...parts);
  }

  // Every edge of one relation, to go through them one by one.
  function list(relation) {
    const found = edges.filter((e) => e.relation === relation && e.confidence >= least).sort((a, b) => b.confidence - a.confidence || (b.count || 0) - (a.count || 0));
    const parts = [make("h2", say.kinds[relation][0]), make("p", `${say.kinds[relation][1]} ${found.length}, ${say.listed}.`)];
    for (const e of found.slice(0, 200)) { const card = edgeCard(e, e.source); card.prepend(button(byId.get(e.source).title || say.outliers, () => choose(e.source, true))); parts.push(card); }
    if (found.length > 200) parts.push(make("p", say.more(found.length - 200)));
    open(...parts);
    $("about").focus();
  }

  const fly = (x, y, ratio) => renderer.getCamera().animate({ x, y, ratio }, { duration: matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 350 });
  function choose(id, move) {
    chosen = id; topic = id ? null : topic;
    if (id) show(id); else $("detail").hidden = true;
    history.replaceState(null, "", id ? "#" + encodeURIComponent(id) : "#");
    refresh(); pressed();
    if (id && move) { const { x, y } = renderer.getNodeDisplayData(id); const ratio = Math.min(renderer.getCamera().ratio, 0.35); fly(x + 0.14 * ratio, y, ratio); $("about").focus(); }
  }
  function pick(id) {
    if (data.aggregated) return choose(id, true);
    topic = topic === id ? null : id;
    chosen = null; $("detail").hidden = true; refresh(); pressed();
    const inside = topic && data.nodes.filter((n) => n.topic === topic).map((n) => renderer.getNodeDisplayData(n.id));
    if (!inside) return fly(0.5, 0.5, 1);
    const xs = inside.map((d) => d.x), ys = inside.map((d) => d.y), low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
    fly((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, Math.min(1, Math.max(0.06, 1.6 * Math.max(high[0] - low[0], high[1] - low[1]))));
  }
  const pressed = () => { for (const b of $("topics").querySelectorAll("button")) b.setAttribute("aria-pressed", String(b.dataset.id === topic)); };

  function find(wanted) {
    const hits = [], text = (n) => `${n.title} ${n.id} ${n.path || ""}`.toLowerCase();
    for (const t of data.topics) if (!data.aggregated && named(t).toLowerCase().includes(wanted)) hits.push([named(t), () => pick(t.id), mark(t.color, true)]);
    for (const n of data.nodes) {
      if (hits.length >= 40) break;
      const member = n.members && n.members.find(([id, title]) => `${title} ${id}`.toLowerCase().includes(wanted));
      if (text(n).includes(wanted)) hits.push([n.title || say.outliers, () => choose(n.id, true), mark(n.color, true)]);
      else if (member) hits.push([`${member[1]} (${n.title || say.outliers})`, () => choose(n.id, true), mark(n.color, true)]);
    }
    return hits;
  }
  function search() {
    const wanted = $("search").value.trim().toLowerCase(), hits = wanted ? find(wanted) : [];
    $("hits").replaceChildren(...hits.map(([title, action, dot]) => { const item = make("li", null, { role: "presentation" }), b = button(title, () => { close(); action(); }, dot); b.setAttribute("role", "option"); item.append(b); return item; }));
    if (wanted && !hits.length) $("hits").append(make("li", say.nothing));
    $("hits").hidden = !wanted;
    $("search").setAttribute("aria-expanded", String(!!wanted));
  }
  const close = () => { $("hits").hidden = true; $("search").setAttribute("aria-expanded", "false"); };

  function legends() {
    const tally = {};
    for (const e of edges) tally[e.relation] = (tally[e.relation] || 0) + 1;
    $("relations").replaceChildren(...kinds.filter((r) => tally[r]).map((relation) => {
      const row = make("div", null, { class: "row", title: say.kinds[relation][1] }), box = make("input", null, { type: "checkbox", "aria-label": say.kinds[relation][0] });
      box.checked = !hidden.has(relation);
      box.onchange = () => { box.checked ? hidden.delete(relation) : hidden.add(relation); refresh(); };
      row.append(box, mark(colours[relation]), button(say.kinds[relation][0], () => list(relation)), make("span", String(tally[relation]), { class: "number" }));
      return row;
    }));
    const total = new Map(), rows = [];
    for (const t of data.topics) { const family = t.id === "outliers" ? "~" : t.parent || t.id; total.set(family, (total.get(family) || 0) + (family === "~" ? -1e9 : t.size)); }
    let last = null;
    const family = (t) => (t.id === "outliers" ? "~" : t.parent || t.id);
    for (const t of [...data.topics].sort((a, b) => total.get(family(b)) - total.get(family(a)) || (family(a) < family(b) ? -1 : family(a) > family(b) ? 1 : b.size - a.size))) {
      if (t.parent && t.parent !== last) rows.push(make("h3", groups.get(t.parent) || t.parent));
      last = t.parent;
      const b = button(named(t), () => pick(t.id), mark(t.color, true));
      b.dataset.id = t.id;
      b.append(make("span", String(t.size), { class: "number" }));
      rows.push(b);
    }
    $("topics").replaceChildren(...rows);
    pressed();
  }
  function speak() {
    document.documentElement.lang = say === WORDS.de ? "de" : "en";
    for (const element of document.querySelectorAll("[data-say]")) element.textContent = say[element.dataset.say];
    for (const element of document.querySelectorAll("[data-say-label]")) { element.setAttribute("aria-label", say[element.dataset.sayLabel]); if (element.tagName === "BUTTON") element.title = say[element.dataset.sayLabel]; }
    $("language").textContent = say.other; $("search").placeholder = say.hint; $("key").textContent = say.key; $("key").hidden = data.aggregated;
    legends(); refresh();
    if (chosen) show(chosen);
  }

  renderer.on("clickNode", ({ node }) => choose(node, false));
  renderer.on("clickEdge", ({ edge }) => { const e = edges[edge]; open(make("h2", byId.get(e.source).title), heading(e.relation, ""), edgeCard(e, e.source)); });
  renderer.on("clickStage", () => choose(null, false));
  $("close").onclick = () => { choose(null, false); $("search").focus(); };
  $("confidence").oninput = (event) => { least = Number(event.target.value); $("least").textContent = least.toFixed(2); refresh(); };
  $("ties").onchange = (event) => { ties = event.target.checked; refresh(); };
  $("tied").hidden = !edges.some((e) => e.weak);
  $("search").oninput = search;
  $("language").onclick = () => { say = say === WORDS.de ? WORDS.en : WORDS.de; speak(); };
  $("closer").onclick = () => renderer.getCamera().animatedZoom({ duration: 200 });
  $("farther").onclick = () => renderer.getCamera().animatedUnzoom({ duration: 200 });
  $("all").onclick = () => renderer.getCamera().animatedReset({ duration: 200 });
  scheme.addEventListener("change", () => { dress(); refresh(); });

  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  $("canvas").addEventListener("keydown", (event) => {
    const camera = renderer.getCamera(), step = STEPS[event.key];
    if (step) camera.setState({ x: camera.x + 0.1 * camera.ratio * step[0], y: camera.y + 0.1 * camera.ratio * step[1] });
    else if (event.key === "+") camera.animatedZoom({ duration: 150 });
    else if (event.key === "-") camera.animatedUnzoom({ duration: 150 });
    else if (event.key === "0") camera.animatedReset({ duration: 150 });
    else return;
    event.preventDefault();
  });
  $("controls").addEventListener("keydown", (event) => {
    const options = [...$("hits").querySelectorAll("button")], here = options.indexOf(document.activeElement);
    if ($("hits").hidden || !options.length || !(event.target === $("search") || here >= 0)) return;
    if (event.key === "ArrowDown") options[Math.min(here + 1, options.length - 1)].focus();
    else if (event.key === "ArrowUp") (here > 0 ? options[here - 1] : $("search")).focus();
    else if (event.key === "Enter" && here < 0) options[0].click();
    else return;
    event.preventDefault();
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape") { if (!$("hits").hidden) close(); else if (topic) pick(topic); else choose(null, false); }
    else if (event.key === "/" && event.target.tagName !== "INPUT") { event.preventDefault(); $("search").focus(); }
  });
  speak();
  const wanted = decodeURIComponent(location.hash.slice(1));
  if (byId.has(wanted)) choose(wanted, true);
  document.body.dataset.ready = "yes";
})();
