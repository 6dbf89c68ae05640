"""Who plays in the league, and whom the others are measured against."""

from functools import partial

from benchmarks.league.settings import Setting
from hedgerow.experiments.simulate import Make
from hedgerow.policies import auto, paper, paper_linear
from hedgerow.policies.constructors import constructor
from hedgerow.policies.registry import load_all

SCALES = (0.125, 0.25, 0.5, 1.0)
ALPHAS = (0.25, 1.0)


def contestants(setting: Setting, *, few: bool = False) -> dict[str, Make]:
    """The policies that can play a setting, by name; of a heavy one, or if asked for ``few``, Auto and the references."""
    makes = _contextual(setting) if setting.contextual else _classical(setting)
    chosen = ("Auto", *references(setting)) if few or setting.heavy else makes
    return {name: makes[name] for name in chosen}


def references(setting: Setting) -> tuple[str, ...]:
    """The paper's policies at several scales: the best of them is the best in hindsight. If history lies, those without too."""
    if setting.contextual:
        return tuple(f"{make.__name__} {alpha:g}" for make in _linear(setting) for alpha in ALPHAS)
    return tuple(f"{make.__name__} {scale:g}" for make in _flat(setting) for scale in SCALES)


def _flat(setting: Setting) -> tuple[Make, ...]:
    return (paper.HUCB, paper.HUCBC, *((paper.UCB, paper.UCBC) if setting.lying else ()))


def _linear(setting: Setting) -> tuple[Make, ...]:
    return (paper_linear.HLinUCB, paper_linear.HLinUCBC, *((paper_linear.LinUCB, paper_linear.LinUCBC) if setting.lying else ()))


def _classical(setting: Setting) -> dict[str, Make]:
    makes: dict[str, Make] = {"Auto": auto.Auto}
    for make in _flat(setting):
        makes |= {f"{make.__name__} {scale:g}": partial(make, scale=scale) for scale in SCALES}
    makes |= {
        "UCB 1": paper.UCB,
        "UCB auto": partial(paper.UCB, scale="auto"),
        "HUCB auto": partial(paper.HUCB, scale="auto"),
        "HUCBC auto": partial(paper.HUCBC, scale="auto"),
        "META": paper.META,
        "META auto": partial(paper.META, scale="auto", expert_scale="auto"),
        "META d3rb": partial(paper.META, rule="d3rb", expert_scale="auto"),
    }
    words = setting.name.split()
    return makes | _registered(contextual=False, unit_rewards="rare" in words or ("bernoulli" in words and "biased" not in words))


def _registered(*, contextual: bool, unit_rewards: bool) -> dict[str, Make]:
    """The rules that have a constructor, each with the parameters of its example.

    ``unit_rewards``: also those for rewards between 0 and 1, which a biased history leaves.
    """
    kinds = [kind for kind in load_all().values() if kind.title and kind.contextual == contextual]
    return {
        " ".join([kind.title, *(f"{value:g}" for value in kind.example.values() if value != "auto")]): partial(
            constructor(kind.name), **kind.example
        )
        for kind in sorted(kinds, key=lambda kind: kind.title)
        if unit_rewards or not kind.unit_rewards
    }


def _contextual(setting: Setting) -> dict[str, Make]:
    makes: dict[str, Make] = {"Auto": auto.Auto}
    for make in _linear(setting):
        makes |= {f"{make.__name__} {alpha:g}": partial(make, alpha=alpha) for alpha in ALPHAS}
    return makes | {
        "META": paper.META,
        "META d3rb": partial(paper.META, rule="d3rb"),
        "HierLinUCB unweighted": partial(auto.HierLinUCB, weights=False),
        **_registered(contextual=True, unit_rewards=False),
    }
