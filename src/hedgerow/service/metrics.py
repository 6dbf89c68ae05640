"""Prometheus metrics. No context values, no ids: nothing in them is about a person."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from .runtimes import Runtimes

BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds; powers of about 2 around what was measured."""

METRICS_MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """The metrics of one process, in a registry of their own."""

    def __init__(self) -> None:
        registry = CollectorRegistry()
        self.registry: CollectorRegistry = registry
        self.decisions: Counter = Counter("hedgerow_decisions", "Decisions answered", ["experiment", "mode"], registry=registry)
        self.rewards: Counter = Counter(
            "hedgerow_rewards", "Rewards answered, by what became of them", ["outcome"], registry=registry
        )
        self.requests: Histogram = Histogram(
            "hedgerow_request_seconds", "Time to answer", ["operation", "status"], buckets=BUCKETS, registry=registry
        )
        self.commit_seconds: Histogram = Histogram(
            "hedgerow_commit_seconds", "Time of a commit", buckets=BUCKETS, registry=registry
        )
        self.log_seq: Gauge = Gauge("hedgerow_log_seq", "Latest log row in the store", ["experiment"], registry=registry)
        self.folded_seq: Gauge = Gauge("hedgerow_folded_seq", "Latest log row learnt", ["experiment"], registry=registry)
        self.waiting: Gauge = Gauge(
            "hedgerow_waiting", "Decisions that this process waits for", ["experiment"], registry=registry
        )
        self.orphans: Gauge = Gauge("hedgerow_orphans", "Rewards whose decision has not come", ["experiment"], registry=registry)
        self.late: Gauge = Gauge("hedgerow_late", "Decisions amended since they were learnt", ["experiment"], registry=registry)
        self.lift: Gauge = Gauge("hedgerow_lift", "Mean reward, live less control", ["experiment", "bound"], registry=registry)

    def text(self, runtimes: Runtimes) -> bytes:
        """All metrics, as Prometheus reads them.

        Args:
            runtimes: The experiments of this process.

        Returns:
            Lines of text.
        """
        for runtime in list(runtimes.by_name.values()):
            if runtime.fold is not None:
                self.log_seq.labels(runtime.name).set(max(runtime.where.seq, runtime.fold.seq))
                self.folded_seq.labels(runtime.name).set(runtime.fold.seq)
                self.waiting.labels(runtime.name).set(len(runtime.fold.open))
        return generate_latest(self.registry)
