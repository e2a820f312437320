"""Limits of consolidations, research_rounds and staged_articles."""

from __future__ import annotations

from brain_assets.operation.checks.base import Check

CHECKS: tuple[Check, ...] = ()
