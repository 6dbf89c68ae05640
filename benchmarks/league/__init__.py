"""The league: every policy on many settings, each beside the best in hindsight."""
