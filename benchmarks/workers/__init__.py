"""One worker per library; see ``__main__``."""
