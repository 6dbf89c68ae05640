"""Every order of decisions, rewards, withdrawals, time and sweeps, by several writers, against a dictionary."""

import math

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from hedgerow.service import experiments, journal, plans, rewarding
from hedgerow.service.entries import Made
from hedgerow.service.journal import Give, Ledger
from hedgerow.service.plans import State
from hedgerow.service.store import connect, transaction
from hedgerow.service.verify import verify
from hedgerow.service.wire import Config

IDS, KEYS, VALUES = ["d1", "d2", "d3", "d4"], ["k1", "k2"], [0.0, 1.0, 2.5]
MADE = Made("a", None, None, (), "", 1.0, False, "live", "a", 2, 1, 0, 1, 1, 10.0)
WAIT = 10.0


class Clocked:
    """A store whose clock the test sets."""

    def __init__(self, store, clock):
        self.store, self.clock = store, clock

    def __getattr__(self, name):
        return getattr(self.store, name)

    def now(self):
        return self.clock[0]


class Model:
    """What should be, in plain Python."""

    def __init__(self, config):
        self.config, self.decisions, self.rewards, self.order = config, {}, {}, 0

    def aggregate(self, id):
        values = [value for value, _ in sorted(self.rewards[id].values(), key=lambda pair: pair[1])]
        return {"first": values[0], "last": values[-1], "sum": math.fsum(values), "max": max(values)}[self.config.aggregate]

    def decide(self, id, request, now):
        known = self.decisions.setdefault(id, {"request": request, "due": now + WAIT, "kind": None, "why": ""})
        return known["request"] == request

    def give(self, id, key, value, final, amend):
        known, there = self.decisions.get(id), self.rewards.setdefault(id, {})
        if known and known["why"] == "withdrawn":
            return 409
        if key in there and there[key][0] != value and not amend:
            return 409
        if key in there:
            there[key] = value, there[key][1]
        else:
            self.order += 1
            there[key] = value, self.order
        if known is None:
            self.final = {**getattr(self, "final", {}), id: final or getattr(self, "final", {}).get(id, False)}
            return 202
        if known["kind"] is None and (final or self.config.learns_at_once):
            known |= {"kind": "outcome", "value": self.aggregate(id)}
        return 200

    def withdraw(self, id):
        known = self.decisions.get(id)
        if known is None:
            return "unknown"
        if known["kind"] is None:
            known |= {"kind": "cancel", "value": None, "why": "withdrawn"}
        return "withdrawn" if known["why"] == "withdrawn" else known["kind"]

    def sweep(self, now):
        for id, known in self.decisions.items():
            if known["kind"] is not None:
                continue
            final = self.config.learns_at_once or getattr(self, "final", {}).get(id, False)
            if self.rewards.get(id) and (final or known["due"] < now):
                known |= {"kind": "outcome", "value": self.aggregate(id)}
            elif known["due"] < now and self.config.default is not None:
                known |= {"kind": "default", "value": self.config.default}
            elif known["due"] < now:
                known |= {"kind": "cancel", "value": None, "why": "expired"}


def machine(url):
    class Interleavings(RuleBasedStateMachine):
        def __init__(self):
            super().__init__()
            self.clock = [0.0]
            self.stores = [Clocked(connect(url), self.clock) for _ in range(1 if url.startswith("sqlite") else 3)]
            for table in ("experiment", "decision", "reward", "log", "snapshot"):
                self.stores[0].run(f"DELETE FROM {table}")

        @initialize(
            aggregate=st.sampled_from(["first", "last", "sum", "max"]),
            learn=st.sampled_from(["at once", "close"]),
            default=st.sampled_from([None, 0.5]),
        )
        def begin(self, aggregate, learn, default):
            self.config = Config(arms=["a", "b"], policy="UCB", wait=WAIT, default=default, learn=learn, aggregate=aggregate)
            self.model = Model(self.config)
            with transaction(self.stores[0]):
                experiments.put("x", self.config, plans.build(State(self.config), None), None)(self.stores[0])

        writer = st.integers(0, 2)

        def store(self, writer):
            return self.stores[writer % len(self.stores)]

        def written(self, writer, work):
            with transaction(self.store(writer)):
                ledger = Ledger(self.store(writer), "x")
                found = work(ledger)
                ledger.close()
            return found

        @rule(writer=writer, id=st.sampled_from(IDS), request=st.sampled_from(["[[1],null,null,null]", "[[2],null,null,null]"]))
        def decide(self, writer, id, request):
            store = self.store(writer)
            with transaction(store):
                found = journal.decide(store, "x", {id: (request, MADE)}, store.now())[id]
            assert (found.request == request) == self.model.decide(id, request, self.clock[0])

        @rule(
            writer=writer,
            gives=st.lists(
                st.tuples(st.sampled_from(IDS), st.sampled_from(KEYS), st.sampled_from(VALUES), st.booleans(), st.booleans()),
                min_size=1,
                max_size=4,
            ),
        )
        def reward(self, writer, gives):
            found = self.written(writer, lambda ledger: rewarding.reward(ledger, self.config, [Give(*give) for give in gives]))
            assert [result.status for result in found] == [self.model.give(*give) for give in gives]

        @rule(writer=writer, id=st.sampled_from(IDS))
        def withdraw(self, writer, id):
            found = self.written(writer, lambda ledger: journal.withdraw(ledger, [id]))
            assert found[id] == self.model.withdraw(id)

        @rule(seconds=st.sampled_from([1.0, 11.0]))
        def pass_time(self, seconds):
            self.clock[0] += seconds

        @rule(writer=writer)
        def sweep(self, writer):
            self.written(writer, lambda ledger: rewarding.sweep(ledger, self.config, 100))
            self.model.sweep(self.clock[0])
            self.compare()

        def compare(self):
            store = self.stores[0]
            rows = store.run("SELECT decision, kind, value FROM log WHERE kind IN ('outcome', 'default', 'cancel')")
            wanted = {id: (known["kind"], known.get("value")) for id, known in self.model.decisions.items() if known["kind"]}
            assert {id: (kind, value) for id, kind, value in rows} == wanted
            rewards = {(id, key): value for id, key, value in store.run("SELECT decision, key, value FROM reward")}
            there = {(id, key): value for id, keys in self.model.rewards.items() for key, (value, _) in keys.items()}
            assert rewards == there
            found = verify(store, "x", settled=False)
            assert found.ok, found

        def teardown(self):
            for store in self.stores:
                store.close()

    return Interleavings


@pytest.mark.parametrize("steps", [40])
def test_any_order_ends_as_in_the_dictionary(store, steps):
    found = settings(
        max_examples=25, stateful_step_count=steps, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
    )
    run_state_machine_as_test(machine(store), settings=found)
