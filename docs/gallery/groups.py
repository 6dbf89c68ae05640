# %% [markdown]
# # Groups that help, and groups that do not
#
# Clusters help if arms of a cluster are alike. The control is the same policy with shuffled labels.

# %%
import hedgerow as hr

policies = {
    "no groups": hr.UCB,
    "groups": hr.UCBC,
    "shuffled groups": hr.Shuffled(hr.UCBC),
}
result = hr.simulate(policies, hr.problems.SyntheticClassical(), rounds=2000, trials=10, seed=1, jobs=1)
for difference in result.compare("no groups"):
    print(difference)
figure = result.plot()
