"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#e8ecf1" : "#1d2733", faint = dark ? "#3a444f" : "#d4d9df";
  const colours = data.relations;
  const hidden = new Set(data.hidden), byId = new Map(data.nodes.map((n) => [n.id, n]));
  let least = 0, chosen = null, topic = null;

  // Texts come from notes and knowledge bases: they only ever become text nodes, never markup.
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== null) element.textContent = text;
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  const graph = new graphology.MultiDirectedGraph();
  for (const n of data.nodes) graph.addNode(n.id, { x: n.x, y: n.y, size: n.size, label: n.title, color: n.color, topic: n.topic });
  data.edges.forEach((e, i) => {
    if (graph.hasNode(e.source) && graph.hasNode(e.target))
      graph.addEdgeWithKey(String(i), e.source, e.target, { color: colours[e.relation] || "#888", size: e.width || 0.6 + 1.4 * e.confidence, type: e.directed ? "arrow" : "line" });
  });
  const shows = (e) => !hidden.has(e.relation) && e.confidence >= least;
  const near = (id) => {
    const set = new Set([id]);
    graph.forEachEdge(id, (key, _, s, t) => { if (shows(data.edges[key])) { set.add(s); set.add(t); } });
    return set;
  };

  let around = null, renderer;
  try {
    renderer = new Sigma(graph, $("canvas"), {
      labelColor: { color: ink }, labelFont: "system-ui, sans-serif", labelSize: 12, labelRenderedSizeThreshold: 7, labelDensity: 0.6,
      hideEdgesOnMove: graph.size > 4000, zIndex: true, minCameraRatio: 0.02, maxCameraRatio: 4, enableEdgeEvents: true, defaultEdgeType: "line",
      nodeReducer: (id, d) => {
        const off = (around && !around.has(id)) || (!around && topic && d.topic !== topic);
        if (off) return { ...d, color: faint, label: "", zIndex: 0 };
        return id === chosen ? { ...d, highlighted: !dark, forceLabel: true, zIndex: 2, size: d.size * 1.4 } : { ...d, zIndex: 1, forceLabel: around !== null && around.size < 40 };
      },
      edgeReducer: (key, d) => {
        const e = data.edges[key];
        if (!shows(e)) return { ...d, hidden: true };
        if (chosen) return e.source === chosen || e.target === chosen ? { ...d, zIndex: 2, size: d.size * 1.5 } : { ...d, hidden: true };
        if (topic && byId.get(e.source).topic !== topic && byId.get(e.target).topic !== topic) return { ...d, hidden: true };
        return d;
      },
    });
  } catch (error) {
    $("failure").hidden = false;
    $("failure").textContent = "This page draws with WebGL, which this browser does not offer (" + error.message + "). The same graph: brain relations, brain topics.";
    return;
  }

  const refresh = () => { around = chosen ? near(chosen) : null; renderer.refresh({ skipIndexation: true }); counts(); };
  const counts = () => {
    const shown = data.edges.filter(shows).length;
    $("counts").textContent = `${data.nodes.length} ${data.aggregated ? "topics" : "entries"}, ${shown} of ${data.edges.length} edges shown`;
  };

  function edgeCard(e, from) {
    const other = e.source === from ? e.target : e.source;
    const card = make("div", null, { class: "edge" });
    const kind = make("span", e.relation.replaceAll("_", " "), { class: "kind" });
    kind.style.background = colours[e.relation] || "#888";
    const arrow = e.directed ? (e.source === from ? "→ " : "← ") : "– ";
    const link = make("button", arrow + (byId.get(other)?.title ?? other));
    link.onclick = () => choose(other, true);
    card.append(kind, make("span", e.count ? `${e.count} edges` : `${e.confidence.toFixed(2)} sure`), link);
    if (e.reason) card.append(make("p", e.reason));
    for (const quote of e.source === from ? [e.source_quote, e.target_quote] : [e.target_quote, e.source_quote])
      if (quote) card.append(make("blockquote", quote));
    return card;
  }

  function show(id) {
    const n = byId.get(id), about = $("about");
    about.replaceChildren(make("h2", n.title), make("p", [n.kind, n.path || n.id, n.topic_label].filter(Boolean).join(" · ")));
    const mine = data.edges.filter((e) => (e.source === id || e.target === id) && shows(e)).sort((a, b) => b.confidence - a.confidence);
    for (const e of mine) about.append(edgeCard(e, id));
    if (!mine.length) about.append(make("p", "No edge is shown for it."));
    for (const title of n.members || []) about.append(make("div", title));
    $("detail").hidden = false;
  }

  function showEdge(e) {
    $("about").replaceChildren(make("h2", byId.get(e.source).title), edgeCard(e, e.source));
    $("detail").hidden = false;
  }

  function choose(id, move) {
    chosen = id;
    if (id) show(id); else $("detail").hidden = true;
    refresh();
    if (id && move) {
      const { x, y } = renderer.getNodeDisplayData(id);
      renderer.getCamera().animate({ x, y, ratio: Math.min(renderer.getCamera().ratio, 0.35) }, { duration: 350 });
    }
  }

  renderer.on("clickNode", ({ node }) => choose(node, false));
  renderer.on("clickEdge", ({ edge }) => showEdge(data.edges[edge]));
  renderer.on("clickStage", () => choose(null, false));
  $("close").onclick = () => choose(null, false);
  $("confidence").oninput = (event) => { least = Number(event.target.value); $("least").textContent = least.toFixed(2); refresh(); };

  const tally = {};
  for (const e of data.edges) tally[e.relation] = (tally[e.relation] || 0) + 1;
  for (const relation of Object.keys(colours).filter((r) => tally[r])) {
    const label = make("label", null), box = make("input", null, { type: "checkbox" }), mark = make("i", null);
    box.checked = !hidden.has(relation);
    box.onchange = () => { box.checked ? hidden.delete(relation) : hidden.add(relation); refresh(); };
    mark.style.background = colours[relation];
    label.append(box, mark, make("b", relation.replaceAll("_", " ")), make("span", String(tally[relation])));
    $("relations").append(label);
  }
  for (const t of data.topics) {
    const button = make("button", null), mark = make("i", null);
    mark.style.background = t.color;
    button.append(mark, document.createTextNode(t.label), make("span", String(t.size)));
    button.onclick = () => { topic = topic === t.id ? null : t.id; chosen = null; refresh(); };
    $("topics").append(button);
  }

  $("search").oninput = (event) => {
    const wanted = event.target.value.trim().toLowerCase();
    const found = wanted ? data.nodes.filter((n) => (n.title + " " + n.id).toLowerCase().includes(wanted)).slice(0, 30) : [];
    $("hits").replaceChildren(...found.map((n) => {
      const item = make("li", null), button = make("button", n.title);
      button.onclick = () => { $("hits").hidden = true; choose(n.id, true); };
      item.append(button);
      return item;
    }));
    $("hits").hidden = !found.length;
  };
  addEventListener("keydown", (event) => { if (event.key === "Escape") choose(null, false); });
  counts();
  document.body.dataset.ready = "yes";
})();
