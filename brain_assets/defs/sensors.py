"""What runs by itself: new sources, changed inputs downstream, learning, failures, and runs whose process died."""

import json
from datetime import UTC, datetime, timedelta

from dagster import (
    AssetSelection,
    AutomationConditionSensorDefinition,
    DagsterInstance,
    DagsterRunStatus,
    DefaultSensorStatus,
    Definitions,
    RunFailureSensorContext,
    RunRequest,
    RunsFilter,
    SensorEvaluationContext,
    SensorResult,
    SkipReason,
    run_failure_sensor,
    sensor,
)

from brain_assets.defs import jobs, liveness
from brain_assets.defs.resources import BrainResource
from brain_assets.errors import BrainError
from brain_assets.operation import alerts, watching
from brain_assets.store.stages import digest_of

SOURCES_TAG = "brain/sources"
"""Run tag with the fingerprint an ingest was requested for."""
RETRY_AFTER = timedelta(minutes=5)
IN_FLIGHT = [
    DagsterRunStatus.QUEUED, DagsterRunStatus.NOT_STARTED, DagsterRunStatus.STARTING, DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
]  # fmt: skip


def in_flight(instance: DagsterInstance, job_name: str) -> bool:
    """Whether a run of this job is queued or running."""
    return instance.get_runs_count(RunsFilter(job_name=job_name, statuses=IN_FLIGHT)) > 0


@sensor(
    name="sources_sensor",
    job=jobs.ingest,
    minimum_interval_seconds=25,  # the daemon comes by every five seconds: so a look is never later than it says
    default_status=DefaultSensorStatus.RUNNING,
    description="Looks at the vault and the KB folder every 30 seconds. When files have changed and come to rest it "
    "requests one ingest, never two at a time. Its cursor is only a hint: losing it costs one look.",
)
def sources_sensor(context: SensorEvaluationContext, brain: BrainResource) -> SensorResult | SkipReason:
    try:
        settings = brain.settings()
        seen = watching.fingerprint(settings)
    except BrainError as error:
        return SkipReason(str(error))
    if in_flight(context.instance, jobs.ingest.name):
        return SkipReason("An ingest is queued or running; changes wait for the next look.")
    if seen == context.cursor and not _failed_for(context.instance, seen):
        return SkipReason("Nothing has changed.")
    settled = seen if seen == context.cursor else watching.at_rest(settings, seen)
    return SensorResult(run_requests=[RunRequest(tags={SOURCES_TAG: settled[:12]})], cursor=settled)


def _failed_for(instance: DagsterInstance, fingerprint: str) -> bool:
    """Whether the last ingest for this state failed long enough ago to be tried again."""
    records = instance.get_run_records(
        RunsFilter(job_name=jobs.ingest.name, tags={SOURCES_TAG: fingerprint[:12]}), limit=1
    )
    if not records or records[0].dagster_run.status != DagsterRunStatus.FAILURE:
        return False
    ended = records[0].end_time or records[0].update_timestamp.timestamp()
    return datetime.now(UTC).timestamp() - ended > RETRY_AFTER.total_seconds()


automation = AutomationConditionSensorDefinition(
    "automation",
    target=AssetSelection.all(),
    minimum_interval_seconds=30,
    default_status=DefaultSensorStatus.RUNNING,
    description="Brings search_index, embeddings, relation_edges and topic_clusters up to date when their inputs have "
    "really changed and passed their blocking checks.",
    run_tags=jobs.WRITES,
)


@sensor(
    name="learning",
    job=jobs.learn,
    minimum_interval_seconds=60,
    default_status=DefaultSensorStatus.RUNNING,
    description="The learning switch: while this is on (and learning was not switched off on the command line), staged "
    "articles are embedded and offered for linking. Switched on again, it catches up.",
)
def learning(context: SensorEvaluationContext, brain: BrainResource) -> SensorResult | SkipReason:
    from brain_assets.store import catalogue
    from brain_assets.synthesis import learning as switch

    try:
        settings = brain.settings()
        with catalogue.open(settings, read_only=True) as cat:
            if not switch.is_on(cat):
                return SkipReason("Learning is off; switch it on with `brain learning on`.")
            waiting = switch.waiting(cat)
    except BrainError as error:
        return SkipReason(str(error))
    if not waiting:
        return SkipReason("Every staged article is learnt.")
    if in_flight(context.instance, jobs.learn.name):
        return SkipReason("A learn run is queued or running.")
    seen = digest_of(waiting)
    if seen == context.cursor:
        return SkipReason(f"{len(waiting)} articles could not be learnt; `brain status` says why.")
    return SensorResult(run_requests=[RunRequest(tags={"brain/waiting": str(len(waiting))})], cursor=seen)


@run_failure_sensor(
    name="failures",
    default_status=DefaultSensorStatus.RUNNING,
    minimum_interval_seconds=30,
    description="Tells BRAIN_FAILURE_WEBHOOK, if it is set, of every failed run: job, run id and the reason.",
)
def failures(context: RunFailureSensorContext) -> SkipReason | None:
    settings = BrainResource().settings()
    if settings.failure_webhook is None:
        return SkipReason("BRAIN_FAILURE_WEBHOOK is not set.")
    event = {
        "job": context.dagster_run.job_name,
        "run_id": context.dagster_run.run_id,
        "reason": (context.failure_event.message or "")[:2000],
    }
    alerts.post(settings.failure_webhook.get_secret_value(), json.dumps(event))
    return None


@sensor(
    name="reaper",
    minimum_interval_seconds=15,  # two looks of the daemon, late ones too, are well within a minute
    default_status=DefaultSensorStatus.RUNNING,
    description="Ends runs whose process was killed, so that none stays STARTED and no pool slot stays taken.",
)
def reaper(context: SensorEvaluationContext) -> SkipReason:
    ended = liveness.reap(context.instance)
    return SkipReason(f"Ended {', '.join(ended)}." if ended else "Every active run has a living process.")


definitions = Definitions(sensors=[sources_sensor, automation, learning, failures, reaper])
