# %% [markdown]
# # A log that is wrong
#
# `HUCB` believes its log as it believes its own rounds. `Auto` finds out how far the log can be trusted. Here a quarter of the
# arms has a log, and it is the log of another arm.

# %%
from functools import partial

import hedgerow as hr

policies = {"UCB": partial(hr.UCB, scale=0.25), "HUCB": partial(hr.HUCB, scale=0.25), "Auto": hr.Auto}
wrong = hr.problems.SyntheticClassical(swapped=True, noise="bernoulli")
result = hr.simulate(policies, wrong, rounds=2000, trials=10, seed=2, jobs=1)
print(result)
figure = result.plot()
