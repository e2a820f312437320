"""Extraction measured on assembled pages: six contents in eight page frames, against readability-lxml alone.

    python -m brain_assets_tests.research.measure_extraction

Prints token F1 of both, the share of pages on which another extractor than readability was taken, and milliseconds a
page (the worker's own time is inside; its start is not).
"""

from __future__ import annotations

import html
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from brain_assets.research import visible
from brain_assets.research.extract import Extractor
from brain_assets.research.transport import FetchFailed
from brain_assets_tests.research.folder import fetched

_CONTENTS = {
    "howto_de": """<h2>Dienst neu starten</h2><p>Bleibt der Auftrag bei null Prozent stehen, hat der Agent auf dem Zielserver
meist die Verbindung verloren. Ein Neustart des Dienstes genügt, die Daten sind nicht betroffen.</p><ol><li>Am Server
anmelden.</li><li>Den Dienst neu starten:<pre>systemctl restart agent
journalctl -u agent -n 20</pre></li><li>Den Auftrag wiederholen.</li></ol><p>Steht er danach wieder still, prüfen Sie die
Namensauflösung und die Uhrzeit beider Rechner.</p>""",
    "reference_en": """<h2>Error codes</h2><p>The client shows a code in its status line. Each code names the step that
failed, counted from the name lookup to the tunnel.</p><table><tr><th>Code</th><th>Meaning</th><th>Remedy</th></tr><tr>
<td>E-10</td><td>name not found</td><td>check the resolver</td></tr><tr><td>E-20</td><td>certificate expired</td><td>renew
it at the desk</td></tr><tr><td>E-30</td><td>pool exhausted</td><td>release stale leases</td></tr></table><p>Codes above 90
are reserved for the vendor and should be reported with the log attached.</p>""",
    "concept_de": """<h2>Wie der Cluster plant</h2><p>Der Planer siebt zuerst alle Knoten aus, auf denen der Pod nicht laufen
kann: zu wenig Speicher, falsche Zone, unverträgliche Markierung. Unter den übrigen bewertet er, wer am besten passt.</p>
<p>Wichtig ist der Unterschied zwischen Anforderung und Grenze. Für die Planung zählt allein die Anforderung; ein Knoten
kann rechnerisch voll sein, obwohl er schläft.</p><p>Wer zu viel Speicher nimmt, wird beendet. Wer zu viel rechnet, wird nur
gebremst. Dieser Unterschied erklärt die Hälfte aller Rätsel, die einem im Betrieb begegnen.</p>""",
    "code_en": """<h2>Connection pooling</h2><p>In transaction mode a server connection goes back to the pool at the end of
each transaction, so nothing that belongs to the session survives.</p><pre>[databases]
shop = host=db1 port=5432 pool_mode=transaction

[pgbouncer]
max_client_conn = 400</pre><p>Use a second pool in session mode for tools that prepare statements.</p><ul><li>prepared
statements are lost</li><li>advisory locks are lost</li><li>temporary tables are lost</li></ul>""",
    "short_de": """<p>Die zufällige Hardwareadresse schaltet man in den Eigenschaften des WLANs aus.</p><p>Danach neu
verbinden.</p>""",
    "list_en": """<h2>Before you upgrade</h2><p>Work through the list on a quiet day and keep the old image for a week.</p><ul>
<li>Read the release notes of every version in between.</li><li>Take a snapshot of the volume and of the database.</li><li>
Stop the scheduler, but leave the API running.</li><li>Upgrade one node, watch it for an hour, then the rest.</li></ul><p>If
a step fails, stop there and restore the snapshot; going on makes it worse.</p>""",
}
_NAV = '<ul><li><a href="/">Start</a></li><li><a href="/p">Produkte</a></li><li><a href="/s">Support</a></li></ul>'
_LINKS = "".join(f'<li><a href="/{n}">Weiterer Beitrag Nummer {n} aus dem Archiv</a></li>' for n in range(12))
_COOKIE = (
    "<p>Wir verwenden Cookies, um Inhalte zu messen. Mit einem Klick stimmen Sie zu.</p><button>Zustimmen</button>"
)
_FRAMES = {
    "semantic": "<header><nav>{nav}</nav></header><main><article><h1>{title}</h1>{content}</article></main><footer>"
    "<p>Impressum, Datenschutz</p></footer>",
    "sidebar": '<div id="top">{nav}</div><div class="wrap"><div class="sidebar"><ul>{links}</ul></div><div class="content">'
    '<h1>{title}</h1>{content}</div></div><div class="footer">Impressum</div>',
    "divs": '<div><div class="menu">{nav}</div><div><div><h1>{title}</h1><div class="text">{content}</div></div></div></div>',
    "table": '<table width="100%"><tr><td>{nav}</td><td><h1>{title}</h1>{content}</td><td><ul>{links}</ul></td></tr></table>',
    "cookies": '<div class="cookie-banner">{cookie}</div><article class="post"><h1>{title}</h1>{content}</article><aside>'
    "<h3>Mehr</h3><ul>{links}</ul></aside>",
    "comments": '<article><h1>{title}</h1><div class="entry-content">{content}</div></article><div id="comments"><div '
    'class="comment"><p>Danke!</p></div><div class="comment"><p>Hat geholfen.</p></div></div>',
    "sections": '<div class="page"><section class="hero"><h1>{title}</h1></section><section>{content}</section><section '
    'class="related"><ul>{links}</ul></section></div>',
    "form": '<form id="aspnet"><div class="nav">{nav}</div><div class="main"><h1>{title}</h1>{content}</div></form>',
}


@dataclass(frozen=True)
class Sample:
    name: str
    markup: str
    truth: str


def samples() -> Iterator[Sample]:
    for name, content in _CONTENTS.items():
        title = f"Titel der Seite {name}"
        truth = html.unescape(re.sub(r"<[^>]+>", " ", f"{title} {content}"))
        for frame, layout in _FRAMES.items():
            body = layout.format(nav=_NAV, links=_LINKS, cookie=_COOKIE, title=title, content=content)
            markup = f"<!DOCTYPE html><html><head><meta charset='utf-8'><title>{title}</title></head><body>{body}</body></html>"
            yield Sample(f"{name}/{frame}", markup, truth)


def f1(found: str, truth: str) -> float:
    """Harmonic mean of token precision and recall, order ignored."""
    got, wanted = (Counter(re.findall(r"\w+", text.lower())) for text in (found, truth))
    shared = sum((got & wanted).values())
    return 2 * shared / (sum(got.values()) + sum(wanted.values())) if shared else 0.0


def alone(markup: str) -> str:
    """What readability-lxml finds by itself, as text."""
    import lxml.html
    from readability import Document

    summary = Document(markup).summary(html_partial=True)
    return visible.to_text(lxml.html.document_fromstring(summary)) if summary.strip() else ""


def measure() -> dict[str, float]:
    """Mean F1 of both, share of pages not by readability, milliseconds a page."""
    pages = list(samples())
    ours, theirs, taken, other = [], [], 0.0, 0
    with Extractor(max_chars=14_000) as extractor:
        extractor.page(fetched("https://x.example.net/", pages[0].markup.encode()), fetched_on="2026-12-01")
        for sample in pages:
            started = time.perf_counter()
            try:
                page = extractor.page(
                    fetched("https://x.example.net/", sample.markup.encode()), fetched_on="2026-12-01"
                )
                found, other = page.text, other + (page.extractor != "readability")
            except FetchFailed:
                found = ""
            taken += time.perf_counter() - started
            ours.append(f1(found, sample.truth))
            theirs.append(f1(alone(sample.markup), sample.truth))
    return {
        "pages": len(pages),
        "f1": round(sum(ours) / len(ours), 4),
        "f1_readability_alone": round(sum(theirs) / len(theirs), 4),
        "worst": round(min(ours), 4),
        "worst_readability_alone": round(min(theirs), 4),
        "fallback_share": round(other / len(pages), 4),
        "ms_a_page": round(1000 * taken / len(pages), 1),
    }


if __name__ == "__main__":
    print(json.dumps(measure(), indent=1))
