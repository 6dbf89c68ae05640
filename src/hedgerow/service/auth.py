"""Tokens: 256 random bits, of which the store has a hash; three roles; and who may ask without one."""

import hashlib
import hmac
import secrets
from base64 import b64decode
from typing import NamedTuple

from .problems import Problem
from .settings import LOOPBACK
from .store import Store
from .wire import checked_name

ROLES = ("read", "decide", "admin")
"""Each may do what those before it may."""

PREFIX = "hr_"
"""Of tokens that hedgerow makes, so that a leaked one is recognised."""


class Token(NamedTuple):
    """Who asks.

    Args:
        hash: Of the secret.
        name: What its owner calls it.
        role: What it may do.
        experiment: The only experiment that it may look at, None for all.
        expires: When it ends, in seconds since 1970; None for never.
    """

    hash: str
    name: str
    role: str
    experiment: str | None
    expires: float | None


ANYONE = Token("", "this machine", "admin", None, None)
"""Whoever asks a service that listens to this machine alone and has no tokens."""


def hashed(secret: str) -> str:
    """What the store knows a secret by. 256 random bits need no slow hash.

    Args:
        secret: The token.

    Returns:
        Its sha256.
    """
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def checked_role(role: str) -> str:
    """A role, or an error that names those there are.

    Args:
        role: What was given.

    Returns:
        The role.

    Raises:
        ValueError: It is none.
    """
    if role not in ROLES:
        raise ValueError(f"role must be {', '.join(ROLES[:-1])} or {ROLES[-1]}, got {role!r}")
    return role


def given_token(text: str) -> Token:
    """A token of the environment.

    Args:
        text: ``role:secret`` or ``role@experiment:secret``.

    Returns:
        The token.

    Raises:
        ValueError: It is none.
    """
    head, colon, secret = text.partition(":")
    role, at, experiment = head.partition("@")
    if not colon or len(secret) < 16:
        raise ValueError("HEDGEROW_TOKENS holds role:secret or role@experiment:secret, with secrets of at least 16 signs")
    only = checked_name(experiment, "the experiment of a token") if at else None
    return Token(hashed(secret), "environment", checked_role(role), only, None)


def new_token(store: Store, *, name: str, role: str, experiment: str | None, expires: float | None) -> str:
    """Make a token and store its hash.

    Args:
        store: In a transaction.
        name: What its owner calls it.
        role: What it may do.
        experiment: The only experiment that it may look at, None for all.
        expires: When it ends, in seconds since 1970; None for never.

    Returns:
        The secret, which is nowhere else.

    Raises:
        ValueError: The name, the role or the experiment is none.
    """
    checked_name(name, "the name of a token")
    secret = PREFIX + secrets.token_urlsafe(32)
    row = (hashed(secret), name, checked_role(role), experiment, expires)
    store.run("INSERT INTO token(hash, name, role, experiment, expires) VALUES(?, ?, ?, ?, ?)", row)
    return secret


def revoke_tokens(store: Store, name: str) -> int:
    """Revoke tokens.

    Args:
        store: In a transaction.
        name: What their owner calls them.

    Returns:
        How many there were.

    Raises:
        ValueError: There is none.
    """
    count = len(store.run("DELETE FROM token WHERE name = ? RETURNING name", (name,)))
    if count == 0:
        raise ValueError(f"there is no token {name!r}")
    return count


def _password(credentials: str) -> str:
    try:
        return b64decode(credentials, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


class Tokens:
    """The tokens that are valid, as they were read last.

    Args:
        given: Those of the environment.

    Raises:
        ValueError: One of them is none.
    """

    def __init__(self, given: tuple[str, ...] = ()):
        self._given = {token.hash: token for token in map(given_token, given)}
        self._known = dict(self._given)
        self._now = 0.0

    def __len__(self) -> int:
        return len(self._known)

    def read(self, store: Store) -> None:
        """Read those of the store.

        Args:
            store: Any.
        """
        rows = store.run("SELECT hash, name, role, experiment, expires FROM token")
        self._known = {row[0]: Token(*row) for row in rows} | self._given
        self._now = store.now()

    def of(self, header: str | None, *, browser: bool = False) -> Token:
        """Who asks with this header.

        Args:
            header: ``Authorization``, if there is one.
            browser: Whether a browser may ask, which sends the token as the password of ``Basic`` (RFC 7617). Only for calls
                that change nothing: a browser sends it on behalf of other pages, too.

        Returns:
            The token.

        Raises:
            Problem: There is none, or none that is valid.
        """
        scheme, _, secret = (header or "").partition(" ")
        if browser and scheme.lower() == "basic":
            scheme, secret = "bearer", _password(secret)
        if scheme.lower() != "bearer" or not secret:
            raise Problem(401, "a token is needed: send Authorization: Bearer, with a token that hedgerow token made")
        found = hashed(secret.strip())
        token = self._known.get(found)
        if token is None or not hmac.compare_digest(token.hash, found):
            raise Problem(401, "this token is not known")
        if token.expires is not None and token.expires <= self._now:
            raise Problem(401, "this token has expired")
        return token


def allow(token: Token, role: str, experiment: str | None) -> None:
    """Refuse what a token may not do.

    Args:
        token: Who asks.
        role: What is needed.
        experiment: Which experiment it is about; None for none, or all.

    Raises:
        Problem: It may not.
    """
    if ROLES.index(token.role) < ROLES.index(role):
        raise Problem(403, f"this needs the role {role}, the token {token.name!r} has {token.role}")
    if token.experiment is not None and token.experiment != experiment:
        raise Problem(403, f"the token {token.name!r} is for the experiment {token.experiment!r} alone")


def check_host(host: str | None) -> None:
    """Refuse a name that is not this machine's: a page elsewhere may have had its name point here.

    Args:
        host: The header.

    Raises:
        Problem: It is another name.
    """
    name = (host or "").rsplit(":", 1)[0] if not (host or "").endswith("]") else host or ""
    if name.strip("[]").lower() not in LOOPBACK:
        raise Problem(403, f"without tokens the service answers to localhost alone, not to {name!r:.100}: make a token")
