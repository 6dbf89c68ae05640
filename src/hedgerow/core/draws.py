"""Draws that belong to the caller: a key says it all, so that choosing stays a function of what it is given.

A key is a whole number of at least 0; -1 stands for none. The mixing keeps to 32 bits, so that compiled code and plain
Python, whose whole numbers have no end, give the same draws.
"""

import math

import numpy as np

from .kernel import compiled

NO_KEY = -1
KEYS = 1 << 60
MASK = 0xFFFFFFFF


def new_key(rng: np.random.Generator | None) -> int:
    """A key from the caller's generator.

    Args:
        rng: The caller's generator, or None.

    Returns:
        A number of at least 0; -1 without a generator.
    """
    return NO_KEY if rng is None else int(rng.integers(KEYS))


@compiled
def mixed(number: int) -> int:
    """A number of 32 bits that looks random and depends on the given one alone (a multiply and shift finaliser, twice).

    Args:
        number: A whole number from 0 to 2^32 - 1.

    Returns:
        A whole number in the same range; different numbers give different ones.
    """
    number = int(number)  # a node's number may have 32 bits, which the product would leave
    for _ in range(2):
        number = ((number ^ (number >> 16)) * 0x45D9F3B) & MASK
    return number ^ (number >> 16)


@compiled
def uniform(key: int, place: int) -> float:
    """A number in [0, 1) for a place: a node, or a level of the tree.

    Args:
        key: Where draws come from.
        place: A node, or a level of the tree.

    Returns:
        The number, the same for the same key and place.
    """
    low, high = mixed((int(key) & MASK) ^ 0x2545F491), mixed((int(key) >> 32) ^ 0x1B873593)
    return mixed(mixed((low + int(place) * 0x61C88647) & MASK) ^ high) / 4294967296.0


@compiled
def draw(key: int, place: int) -> float:
    """``uniform``, or -1 without a key.

    Args:
        key: Where draws come from; -1 for none.
        place: A node, or a level of the tree.

    Returns:
        A number in [0, 1), or -1.
    """
    return uniform(key, place) if key >= 0 else -1.0


@compiled
def normal(key: int, place: int) -> float:
    """A standard normal number for a place; without a key 1, so that an explanation shows one standard deviation.

    Args:
        key: Where draws come from; -1 for none.
        place: A node.

    Returns:
        The number.
    """
    if key < 0:
        return 1.0
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(key, 2 * place)))
    return radius * math.cos(2.0 * math.pi * uniform(key, 2 * place + 1))
