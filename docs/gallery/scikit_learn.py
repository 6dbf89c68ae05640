# %% [markdown]
# # At the end of a scikit-learn pipeline
#
# Three doses, patients with an age and a weight; a log of doses given and how well they worked.

# %%
import matplotlib.pyplot as plt
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import hedgerow as hr
from hedgerow.sklearn import BanditClassifier

rng = np.random.default_rng(6)
patients = np.column_stack([rng.uniform(20, 90, size=600), rng.uniform(50, 110, size=600)])
given = rng.choice(["low", "middle", "high"], size=600)
need = (patients[:, 1] - 50) / 60 - (patients[:, 0] - 20) / 140
worked = 1.0 - np.abs(need - np.select([given == "low", given == "middle"], [-0.1, 0.3], 0.7)) + 0.1 * rng.normal(size=600)

model = make_pipeline(StandardScaler(), BanditClassifier(policy=hr.HLinUCB))
model.fit(patients, given, banditclassifier__reward=worked)
print(model.predict([[80, 60], [50, 80], [25, 105]]))

# %%
ages, weights = np.meshgrid(np.linspace(20, 90, 30), np.linspace(50, 110, 30))
best = model.predict(np.column_stack([ages.ravel(), weights.ravel()]))
figure, axis = plt.subplots(figsize=(5, 3.5), layout="constrained")
for dose in model.classes_:
    axis.scatter(ages.ravel()[best == dose], weights.ravel()[best == dose], s=12, marker="s", label=dose)
axis.set(xlabel="age", ylabel="weight in kg")
axis.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5), title="dose")
