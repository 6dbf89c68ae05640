"""The paper's two real data sets: read from a file at hand, or else simulated and labelled so."""

from .data_files import DataError
from .latency_file import Latencies, latencies
from .warfarin_file import Warfarin, warfarin

__all__ = ["DataError", "Latencies", "Warfarin", "latencies", "warfarin"]
