# %% [markdown]
# # A log that is wrong
#
# A quarter of the arms has a log, and it is the log of another arm. `HUCB` believes it as it believes its own rounds. It does no
# lasting harm here: ten wrong plays of an arm are soon outweighed. `Auto` estimates how far the log can be trusted, and it uses
# the clusters, too.

# %%
from functools import partial

import hedgerow as hr

policies = {"UCB": partial(hr.UCB, scale=0.25), "HUCB": partial(hr.HUCB, scale=0.25), "Auto": hr.Auto}
wrong = hr.problems.SyntheticClassical(swapped=True, noise="bernoulli")
result = hr.simulate(policies, wrong, rounds=2000, trials=10, seed=2, jobs=1)
print(result)
figure = result.plot()
