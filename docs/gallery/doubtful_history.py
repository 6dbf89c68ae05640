# %% [markdown]
# # A log that is wrong
#
# `HUCB` believes its log as it believes its own rounds. `Auto` finds out how far the log can be trusted. Here every arm
# has the log of another one, the worst that can happen.

# %%
import hedgerow as hr

wrong = hr.problems.SyntheticClassical(swapped=True, noise="bernoulli")
result = hr.simulate([hr.UCB, hr.HUCB, hr.Auto], wrong, rounds=2000, trials=10, seed=2, jobs=1)
print(result)
figure = result.plot()
