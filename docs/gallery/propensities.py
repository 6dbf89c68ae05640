# %% [markdown]
# # A log that can be judged later
#
# With `explore=0.1` a tenth of the decisions is drawn uniformly, and every decision knows its propensity. From such a
# log the worth of another policy can be estimated without playing it: each reward is weighed by one over its propensity.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hedgerow as hr

rng = np.random.default_rng(5)
rates = {"a": 0.30, "b": 0.35, "c": 0.50}
policy = hr.UCB(list(rates), scale=0.5, explore=0.1)
log = []
for _ in range(4000):
    decision = policy.select(rng=rng)
    reward = float(rng.random() < rates[decision.arm])
    policy.update(decision, reward)
    log.append((decision.arm, reward, decision.propensity))

worth = {arm: [reward * (shown == arm) / chance for shown, reward, chance in log] for arm in rates}
for arm, values in worth.items():
    print(f"always {arm}: {np.mean(values):.3f} estimated, {rates[arm]:.3f} true")

# %%
figure, axis = plt.subplots(figsize=(5, 3), layout="constrained")
errors = [1.645 * np.std(values) / np.sqrt(len(values)) for values in worth.values()]
axis.errorbar(
    list(rates), [np.mean(values) for values in worth.values()], yerr=errors, fmt="o", capsize=4, label="estimated, 90 %"
)
axis.plot(list(rates), list(rates.values()), "k_", markersize=20, label="true")
axis.set(ylabel="reward per decision of always this arm", xlim=(-0.5, 2.5))
axis.legend(frameon=False, loc="upper left")
