"""The one resource: which brain the assets work on. Configured by the environment, overridable in a run's config."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

from dagster import ConfigurableResource, InitResourceContext
from pydantic import Field

from brain_assets import settings as settings_module
from brain_assets.defs import liveness
from brain_assets.operation import pipeline
from brain_assets.settings import Settings

_lent: ContextVar[pipeline.Run | None] = ContextVar("lent", default=None)


@contextlib.contextmanager
def lend(run: pipeline.Run) -> Iterator[None]:
    """Let the steps of this process use a run that is open already (and shows progress), as `brain build` does."""
    token = _lent.set(run)
    try:
        yield
    finally:
        _lent.reset(token)


def run_config(settings: Settings) -> dict[str, Any]:
    """The run config that makes a run work on the brain of these settings, quiet on the terminal."""
    places = {name: str(getattr(settings, name)) for name in ("data_dir", "vault_dir", "kb_dir")}
    return {
        "resources": {"brain": {"config": places}},
        "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
    }


class BrainResource(ConfigurableResource):  # type: ignore[type-arg]
    """Opens the brain a run works on. Empty fields mean: as the BRAIN_ variables say."""

    data_dir: str = Field(default="", description="Where the brain is kept; empty: BRAIN_DATA_DIR.")
    vault_dir: str = Field(default="", description="The Markdown vault; empty: BRAIN_VAULT_DIR.")
    kb_dir: str = Field(default="", description="The knowledge base folder; empty: BRAIN_KB_DIR.")

    def setup_for_execution(self, context: InitResourceContext) -> None:
        """Show that the run's process lives."""
        if context.run is not None and context.instance is not None:
            liveness.hold(context.instance, context.run.run_id)

    def settings(self) -> Settings:
        """The settings of the run. Raises ConfigurationError."""
        return settings_module.load(
            data_dir=self.data_dir or None, vault_dir=self.vault_dir or None, kb_dir=self.kb_dir or None
        )

    @contextlib.contextmanager
    def writing(self) -> Iterator[pipeline.Run]:
        """Hold the writer lock and the open catalogue for one step; waits BRAIN_LOCK_WAIT for another writer."""
        if (lent := _lent.get()) is not None:
            yield lent
            return
        settings = self.settings()
        with pipeline.writing(settings, wait=settings.lock_wait) as run:
            yield run
