"""Machine code of an older source must not be tested: Numba's cache looks at a kernel's own file only, not at what it calls."""

import os
import tempfile
import zlib
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "hedgerow"
_digest = zlib.crc32(b"".join(path.read_bytes() for path in sorted(SOURCE.rglob("*.py"))))
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"hedgerow-numba-{_digest:08x}"))
