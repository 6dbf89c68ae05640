# %% [markdown]
# # Arms that come and go
#
# A better ad about sport arrives in round 400 and is withdrawn in round 800.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hedgerow as hr

rng = np.random.default_rng(3)
rates = {"news-1": 0.10, "news-2": 0.12, "sport-1": 0.20, "sport-2": 0.24}
policy = hr.Auto(list(rates), clusters={ad: ad.split("-")[0] for ad in rates})
shown = []
for t in range(1200):
    if t == 400:
        rates["sport-3"] = 0.35
        policy.add_arm("sport-3", cluster="sport")
    if t == 800:
        policy.remove_arm("sport-3")
    decision = policy.select()
    policy.update(decision, float(rng.random() < rates[decision.arm]))
    shown.append(decision.arm)
print(policy)

# %%
figure, axis = plt.subplots(figsize=(7, 3), layout="constrained")
for ad in rates:
    share = np.convolve([one == ad for one in shown], np.ones(50) / 50, mode="valid")
    axis.plot(share, label=ad)
axis.set(xlabel="round", ylabel="share of the showings", ylim=(0, 1.15))
axis.legend(frameon=False, ncol=5, fontsize=8, loc="upper center")
