# %% [markdown]
# # A log makes a warm start
#
# The same policy with and without the log, on the paper's synthetic problem: 100 arms in 10 clusters.

# %%
import hedgerow as hr

problem = hr.problems.SyntheticClassical()
result = hr.simulate([hr.UCB, hr.HUCB, hr.Auto], problem, rounds=2000, trials=10, seed=0, jobs=1)
print(result)
figure = result.plot()

# %% [markdown]
# `UCB` ignores the log and tries every arm first. `HUCB` starts from it. `Auto` starts from it, too, and uses the clusters.
