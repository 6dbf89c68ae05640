"""What goes wrong, as RFC 9457 says it: ``application/problem+json`` with one sentence that names the value and the way out."""

from http import HTTPStatus

import msgspec
from starlette.responses import Response

PROBLEM_MEDIA = "application/problem+json"


class Problem(Exception):  # noqa: N818 - the word of RFC 9457
    """A request that cannot be answered as it wishes.

    Args:
        status: The HTTP status.
        detail: One sentence: what is wrong, and the way out.
        retry_after: Seconds after which it is worth another try.
    """

    def __init__(self, status: int, detail: str, *, retry_after: int | None = None):
        super().__init__(detail)
        self.status: int = status
        self.detail: str = detail
        self.retry_after: int | None = retry_after

    @property
    def title(self) -> str:
        """What the status is called."""
        return HTTPStatus(self.status).phrase

    def document(self) -> dict[str, object]:
        """The members of the problem document.

        Returns:
            Title, status and detail.
        """
        return {"title": self.title, "status": self.status, "detail": self.detail}


def answer(problem: Problem) -> Response:
    """A problem as an HTTP answer.

    Args:
        problem: What went wrong.

    Returns:
        The response.
    """
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="hedgerow"'
    return Response(msgspec.json.encode(problem.document()), problem.status, headers, PROBLEM_MEDIA)


def away(detail: str) -> Problem:
    """The service cannot answer now, and may be able to in a second.

    Args:
        detail: One sentence.

    Returns:
        A problem of status 503.
    """
    return Problem(503, detail, retry_after=1)
