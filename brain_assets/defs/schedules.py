"""What runs by the clock, on from the first start."""

from __future__ import annotations

from dagster import DefaultScheduleStatus, Definitions, ScheduleDefinition

from brain_assets.defs import jobs

nightly_synthesis = ScheduleDefinition(
    name="nightly_synthesis",
    job=jobs.synthesis,
    cron_schedule="30 2 * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Every night at 02:30: fact bases, research and articles, while nobody waits for a model.",
)
weekly_reconcile = ScheduleDefinition(
    name="weekly_reconcile",
    job=jobs.reconcile,
    cron_schedule="0 4 * * 0",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Sundays at 04:00: the whole pipeline once more, so that nothing a sensor missed stays missed.",
)
daily_housekeeping = ScheduleDefinition(
    name="daily_housekeeping",
    job=jobs.housekeeping,
    cron_schedule="0 5 * * *",
    default_status=DefaultScheduleStatus.RUNNING,
    description="Every day at 05:00: old runs, call logs and cached web pages are forgotten.",
)

definitions = Definitions(schedules=[nightly_synthesis, weekly_reconcile, daily_housekeeping])
