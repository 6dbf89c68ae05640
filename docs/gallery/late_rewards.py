# %% [markdown]
# # Rewards that come late
#
# Ten decisions are made before the first reward arrives. A policy that is told what it waits for spreads them.

# %%
from collections import Counter

import matplotlib.pyplot as plt

import hedgerow as hr

arms = ["a", "b", "c", "d", "e"]


def batch(told: bool) -> Counter:
    policy = hr.UCB(arms, scale=0.5)
    policy.learn_many(arms, [0.5, 0.4, 0.45, 0.3, 0.55])
    chosen = []
    for _ in range(10):
        decision = policy.select()
        chosen.append(decision.arm)
        if told:
            policy.expect(decision)
    return Counter(chosen)


alone, together = batch(False), batch(True)
print("not told:", dict(alone))
print("told:    ", dict(together))

# %%
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
places = range(len(arms))
axis.bar([place - 0.2 for place in places], [alone[arm] for arm in arms], width=0.4, label="not told what it waits for")
axis.bar([place + 0.2 for place in places], [together[arm] for arm in arms], width=0.4, label="policy.expect(decision)")
axis.set(xticks=list(places), xticklabels=arms, ylabel="decisions of ten")
axis.legend(frameon=False)
