"""Limits of search_index and embeddings."""

from __future__ import annotations

from brain_assets.operation.checks.base import Check

CHECKS: tuple[Check, ...] = ()
