"""Language models: one protocol, several servers, structured answers, a call log and a budget."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from brain_assets.llm.base import Completion, LanguageModel, ModelFailure, ModelMissing

if TYPE_CHECKING:
    from brain_assets.llm.calls import Budget
    from brain_assets.settings import Settings
    from brain_assets.store.catalogue import Catalogue

__all__ = ["Completion", "LanguageModel", "ModelFailure", "reasoning_model"]
log = logging.getLogger(__name__)


def reasoning_model(
    settings: Settings, cat: Catalogue | None = None, budget: Budget | None = None
) -> LanguageModel | None:
    """The model for relations, consolidation, author and assessment: Ollama's, if it answers and has it.

    None means: take the deterministic path; the log says why. With `cat` each call is logged; all calls of a process
    count against one budget unless `budget` is given.
    """
    from brain_assets.llm.calls import Recorded, run_budget
    from brain_assets.llm.ollama_model import OllamaModel

    model = OllamaModel(
        settings.ollama_host,
        settings.llm_model,
        connect_timeout=settings.llm_connect_timeout,
        timeout=settings.llm_timeout,
    )
    failure = model.available()
    if failure is not None:
        level = logging.WARNING if isinstance(failure, ModelMissing) else logging.INFO
        log.log(level, "Working without a language model. %s", failure)
        return None
    return Recorded(model, budget or run_budget(settings), cat)
