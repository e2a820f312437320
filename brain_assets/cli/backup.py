"""`brain backup`, `brain restore` and `brain export`: a brain in one file, back from it, and as plain tables."""

from __future__ import annotations

from pathlib import Path

import click

from brain_assets.cli.options import Call, Place, common


@click.command("backup")
@click.argument("file", type=Place(path_type=Path, dir_okay=False), required=False)
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def backup_command(call: Call, file: Path | None, wait: bool) -> int:
    """Write the brain to one file (default brain-backup-DATE.tar.gz). Searches go on meanwhile.

    \b
    brain backup
    brain backup /mnt/backup/brain-monday.tar.gz --wait

    In it: the catalogue, staged articles, their metadata, evidence and answers. Not in it: the vault and the KB, and
    what is made from the catalogue again.
    """
    from brain_assets.operation import backup

    target = (file or Path(f"brain-backup-{call.settings.today.isoformat()}.tar.gz")).expanduser().absolute()
    done = backup.backup(call.settings, target, wait=call.settings.lock_wait if wait else 0.0)
    if call.json:
        call.emit(done.to_json())
    call.say(f"{done.path}: {_files(done.files)}, {done.size / 1e6:.1f} MB before packing.")
    return call.finish()


@click.command("restore")
@click.argument("file", type=Place(path_type=Path, dir_okay=False))
@click.option("--force", is_flag=True, help="Restore over a brain: the one that is there is kept under another name.")
@click.option("--wait", is_flag=True, help="Wait for another writer (BRAIN_LOCK_WAIT) instead of leaving.")
@common
def restore_command(call: Call, file: Path, force: bool, wait: bool) -> int:
    """Bring a brain back from a backup, after every file in it has been compared with its manifest.

    \b
    brain restore brain-backup-2026-12-01.tar.gz
    brain restore brain-backup-2026-12-01.tar.gz --data-dir ~/.brain --force

    Stop `brain up` and `brain watch` on that data directory first. The vault and the KB are not touched; the next
    `brain build` takes in what has changed in them since.
    """
    from brain_assets.operation import backup

    source = file.expanduser().absolute()
    done, aside = backup.restore(call.settings, source, force=force, wait=call.settings.lock_wait if wait else 0.0)
    backup.make_searchable(call.settings)
    if call.json:
        call.emit(done.to_json() | {"kept": str(aside) if aside else None})
    call.say(f"{call.settings.data_dir} is as it was on {done.manifest['created']} ({_files(done.files)}).")
    if aside is not None:
        call.say(f"What was there is kept in {aside}.")
    return call.finish()


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number} files"


@click.command("export")
@click.argument("folder", type=Place(path_type=Path, file_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    default="jsonl",
    show_default=True,
    help="Of the tables.",
)
@common
def export_command(call: Call, folder: Path, form: str) -> int:
    """Write entries, edges, topics, articles and gaps as plain tables, for use without the product.

    \b
    brain export out
    brain export out --format csv

    All of one snapshot. Nested values are JSON text in CSV and Parquet (which needs the package pyarrow).
    """
    from brain_assets.operation import export
    from brain_assets.store import catalogue

    target = folder.expanduser().absolute()
    with catalogue.open(call.settings, read_only=True) as cat:
        counts = export.export(cat, call.settings, target, next(f for f in export.FORMATS if f == form))
    if call.json:
        call.emit({"folder": str(target), "format": form, "rows": counts})
    call.say(f"{target}: " + ", ".join(f"{number} {name}" for name, number in counts.items()) + ".")
    return call.finish()
