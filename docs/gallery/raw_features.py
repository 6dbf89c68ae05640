# %% [markdown]
# # Visitors with raw features
#
# Contexts by name, as a web framework hands them over. Each ad is best for some age; the policy finds out which.

# %%
import matplotlib.pyplot as plt
import numpy as np

import hedgerow as hr

rng = np.random.default_rng(4)
visitor = {"age": "number", "device": ["desktop", "mobile"]}
policy = hr.LinUCB(["games", "garden"], context=visitor, alpha=0.3)


def click(ad: str, age: float) -> float:
    chance = 0.6 - age / 100 if ad == "games" else age / 120
    return float(rng.random() < chance)


for _ in range(1500):
    age = float(rng.integers(18, 80))
    decision = policy.select({"age": age, "device": str(rng.choice(["desktop", "mobile"]))})
    policy.update(decision, click(decision.arm, age))
print(policy.explain({"age": 25, "device": "mobile"}))

# %%
ages = np.arange(18, 80)
means = np.array([[score.mean for score in policy.explain({"age": age, "device": "mobile"})] for age in ages.tolist()])
figure, axis = plt.subplots(figsize=(6, 3), layout="constrained")
for column, ad in enumerate(policy.arms):
    axis.plot(ages, means[:, column], label=ad)
axis.set(xlabel="age of the visitor", ylabel="expected clicks")
axis.legend(frameon=False)
