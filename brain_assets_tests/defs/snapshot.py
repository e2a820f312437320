"""What Dagster is told, as plain data: every asset, check, job, sensor and schedule.

Renew the kept copy after an intended change with: python -m brain_assets_tests.defs.snapshot
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from dagster import AutomationConditionSensorDefinition, Definitions

KEPT = Path(__file__).with_name("snapshot.json")


def take(defs: Definitions) -> dict[str, Any]:
    """The snapshot of the given definitions."""
    repository = defs.get_repository_def()
    graph = repository.asset_graph
    assets = {}
    for key in sorted(graph.get_all_asset_keys(), key=lambda k: k.to_user_string()):
        node = graph.get(key)
        assets[key.to_user_string()] = {
            "group": node.group_name,
            "deps": sorted(parent.to_user_string() for parent in node.parent_keys),
            "kinds": sorted(node.kinds),
            "owners": sorted(node.owners),
            "tags": dict(sorted((k, v) for k, v in node.tags.items() if not k.startswith("dagster/kind"))),
            "pools": sorted(node.pools or ()),
            "automation": node.automation_condition is not None,
            "freshness": node.freshness_policy is not None,
            "columns": {c.name: [c.type, c.description] for c in node.metadata["dagster/column_schema"].columns},
            "description": node.description,
        }
    checks = {}
    for key in sorted(graph.asset_check_keys, key=lambda k: (k.asset_key.to_user_string(), k.name)):
        spec = graph.get_check_spec(key)
        checks[f"{key.asset_key.to_user_string()}: {key.name}"] = {
            "blocking": spec.blocking,
            "description": spec.description,
        }
    jobs = {}
    for job in sorted(repository.get_all_jobs(), key=lambda j: j.name):
        if job.name.startswith("__"):
            continue
        selected = job.asset_layer.executable_asset_keys if job.asset_layer else ()
        jobs[job.name] = {
            "description": job.description,
            "tags": dict(sorted(job.run_tags.items())),
            "assets": sorted(k.to_user_string() for k in selected),
            "executor": job.executor_def.name,
        }
    sensors = {
        s.name: {
            "status": s.default_status.value,
            "interval": s.minimum_interval_seconds,
            "automation": isinstance(s, AutomationConditionSensorDefinition),
            "description": s.description,
        }
        for s in sorted(repository.sensor_defs, key=lambda s: s.name)
    }
    schedules = {
        s.name: {
            "status": s.default_status.value,
            "cron": s.cron_schedule,
            "job": s.job_name,
            "description": s.description,
        }
        for s in sorted(repository.schedule_defs, key=lambda s: s.name)
    }
    return {"assets": assets, "checks": checks, "jobs": jobs, "sensors": sensors, "schedules": schedules}


def text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    from brain_assets.definitions import defs

    KEPT.write_text(text(take(defs)), encoding="utf-8")
