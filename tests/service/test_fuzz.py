"""The API against its own document, in short; python -m benchmarks.service.fuzz is the long form."""

import pytest

from benchmarks.service.fuzz import fuzz


@pytest.mark.slow
@pytest.mark.parametrize("known", [True, False])
def test_no_request_fails_the_service(known):
    pytest.importorskip("schemathesis")
    code, said = fuzz(20, 1, known=known)
    assert code == 0, said
