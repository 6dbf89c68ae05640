# %% [markdown]
# # What a log says before anything is built
#
# The example log: ads about topics, shown at random. How far do topics explain which ads are clicked?

# %%
import matplotlib.pyplot as plt
import polars as pl

import hedgerow as hr

log = pl.read_csv("examples/log.csv")
topics = dict(pl.read_csv("examples/ads.csv").iter_rows())
print(hr.inspect(log, arm="ad", reward="click", clusters=topics, time="day"))

# %%
rates = log.group_by("ad").agg(pl.col("click").mean()).sort("ad")
names = sorted(set(topics.values()))
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
axis.scatter([names.index(topics[ad]) for ad in rates["ad"]], rates["click"])
axis.set(xticks=range(len(names)), xticklabels=names, ylabel="clicks per showing", ylim=(0, None))
