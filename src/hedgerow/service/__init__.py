"""The decision service: one log in SQL, a policy as its fold, an HTTP face. ``hedgerow serve`` runs it."""

from ..core.extras import absent

try:
    import msgspec as _msgspec
    import starlette as _starlette
    import uvicorn as _uvicorn
except ImportError as missing:
    raise absent("the decision service", str(missing.name or "starlette"), "service") from missing

del _msgspec, _starlette, _uvicorn
