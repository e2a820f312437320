"use strict";
// What the page says, in both languages.
const WORDS = {
  en: {
    map: "Map of the entries; the lists beside it reach the same by keyboard", controls: "Search and filters", detail: "Details", tools: "Zoom", close: "Close",
    search: "Search", hint: "Title, path, id or topic", relations: "Relations", least: "At least this sure:", ties: "Draw all ties between topics", topics: "Topics",
    closer: "Zoom in", farther: "Zoom out", all: "Show everything", outliers: "In no topic", sure: "sure", other: "Deutsch",
    counts: (a) => `${a.nodes} ${a.topics ? "topics for " + a.entries + " entries" : "entries"}; ${a.shown} of ${a.total} ${a.topics ? "bundles" : "edges"} drawn${a.left ? `, ${a.left} of the least telling left out` : ""}`,
    none: "No edge is shown for it: all are filtered out, or it has none.", entries: "entries", edges: "edges", example: "For example", more: (n) => `… and ${n} more`,
    nothing: "Nothing is called so.", listed: "surest first", note: "note", kb: "KB entry", "AI-Synthesis": "article", web: "web page", topic: "topic",
    key: "● note   ■ KB entry   ◆ article, web page", failure: "This page draws with WebGL, which this browser does not offer. The same in a terminal: brain relations, brain topics.",
    kinds: {
      contradicts: ["contradicts", "Both cannot be right."], supersedes: ["supersedes", "The source took the target's place."], duplicates: ["duplicates", "Both say the same."],
      supports: ["supports", "The source confirms the target."], depends_on: ["depends on", "The source needs the target."], part_of: ["part of", "The source is a part of the target."],
      same_topic: ["same topic", "The same object or question."], references: ["references", "A link, as it was written."], synthesized_from: ["synthesized from", "The article was written from the target."],
      grounded_by: ["grounded by", "The target bears a statement of the article."], proposes_update: ["proposes update", "The article would take the KB entry's place."], proposes_merge: ["proposes merge", "The article would take the place of several."],
    },
  },
  de: {
    map: "Karte der Einträge; die Listen daneben erreichen dasselbe mit der Tastatur", controls: "Suche und Filter", detail: "Einzelheiten", tools: "Zoom", close: "Schließen",
    search: "Suche", hint: "Titel, Pfad, Kennung oder Thema", relations: "Beziehungen", least: "Mindestens so sicher:", ties: "Alle Fäden zwischen Themen zeichnen", topics: "Themen",
    closer: "Näher", farther: "Weiter weg", all: "Alles zeigen", outliers: "In keinem Thema", sure: "sicher", other: "English",
    counts: (a) => `${a.nodes} ${a.topics ? "Themen für " + a.entries + " Einträge" : "Einträge"}; ${a.shown} von ${a.total} ${a.topics ? "Bündeln" : "Kanten"} gezeichnet${a.left ? `, ${a.left} der am wenigsten aussagekräftigen weggelassen` : ""}`,
    none: "Dazu wird keine Kante gezeigt: Alle sind ausgefiltert, oder es gibt keine.", entries: "Einträge", edges: "Kanten", example: "Zum Beispiel", more: (n) => `… und ${n} weitere`,
    nothing: "Nichts heißt so.", listed: "die sichersten zuerst", note: "Notiz", kb: "KB-Eintrag", "AI-Synthesis": "Artikel", web: "Webseite", topic: "Thema",
    key: "● Notiz   ■ KB-Eintrag   ◆ Artikel, Webseite", failure: "Diese Seite zeichnet mit WebGL, das dieser Browser nicht bietet. Dasselbe im Terminal: brain relations, brain topics.",
    kinds: {
      contradicts: ["widerspricht", "Beides kann nicht stimmen."], supersedes: ["ersetzt", "Die Quelle ist an die Stelle des Ziels getreten."], duplicates: ["doppelt", "Beide sagen dasselbe."],
      supports: ["stützt", "Die Quelle bestätigt das Ziel."], depends_on: ["braucht", "Die Quelle braucht das Ziel."], part_of: ["Teil von", "Die Quelle ist ein Teil des Ziels."],
      same_topic: ["gleiches Thema", "Derselbe Gegenstand, dieselbe Frage."], references: ["verweist auf", "Ein Link, wie er geschrieben wurde."], synthesized_from: ["geschrieben aus", "Der Artikel wurde aus dem Ziel geschrieben."],
      grounded_by: ["belegt durch", "Das Ziel trägt eine Aussage des Artikels."], proposes_update: ["schlägt Änderung vor", "Der Artikel träte an die Stelle des KB-Eintrags."], proposes_merge: ["schlägt Vereinigung vor", "Der Artikel träte an die Stelle mehrerer."],
    },
  },
};
