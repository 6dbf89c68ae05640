"""The log that the README shows: clicks on 96 ads about 12 topics over 60 days, ads shown at random.

python examples/make_log.py [FOLDER]

Ads about the same topic are alike: their log odds are N(topic, 0.1^2), those of topics N(-2.2, 1). Mobile users click less.
"""

import csv
import sys
from pathlib import Path

import numpy as np

TOPICS = ("news", "sport", "travel", "food", "music", "cars", "games", "garden", "films", "health", "money", "fashion")
ADS_EACH, DAYS, ROWS = 8, 60, 6000


def main(folder: Path) -> None:
    """Write log.csv and ads.csv."""
    rng = np.random.default_rng(20)
    ads = [(f"{topic}-{number}", topic) for topic in TOPICS for number in range(1, ADS_EACH + 1)]
    odds = np.repeat(rng.normal(-2.2, 1.0, size=len(TOPICS)), ADS_EACH) + rng.normal(0.0, 0.1, size=len(ads))
    day = np.sort(rng.integers(1, DAYS + 1, size=ROWS))
    ad, mobile = rng.integers(len(ads), size=ROWS), rng.random(ROWS) < 0.6
    click = rng.random(ROWS) < 1.0 / (1.0 + np.exp(-(odds[ad] + np.where(mobile, -0.2, 0.3))))
    columns = zip(day.tolist(), ad.tolist(), mobile.tolist(), click.tolist(), strict=True)
    rows = [(d, ads[a][0], "mobile" if m else "desktop", int(c)) for d, a, m, c in columns]
    for name, head, body in (("log.csv", ("day", "ad", "device", "click"), rows), ("ads.csv", ("ad", "topic"), ads)):
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *body])


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent))
