"""The status page: its figures and words by hand, its answers over HTTP, and what a browser makes of it."""

import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.present.pages import rendered
from hedgerow.service import page_figures, page_view
from hedgerow.service.reports import ArmStatus, Change, Lag, Lift, ModeStatus, Replica, Span, Status

from .live import Live

HOSTILE = [
    "<script>document.title='bad'</script>",
    "ad-0<b>bold</b>",
    "{{ 7 * 7 }}",
    "\u202ebackwards\u202c & \"'",
    "x" * 250,
    "plain",
]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def arm(name, plays=10, mean=0.5, width=0.1, cluster=None, share=0.1):
    ends = (None, None) if mean is None else (mean - width, mean + width)
    return ArmStatus(name, cluster, plays, 0.0, 0, mean, *ends, share)


def status(**changed):
    names = ("name", "policy", "mode", "state_hash")
    counts = ("revision", "epoch", "seq", "folded", "rounds", "decisions", "rewards", "waiting", "late", "orphans", "outcomes")
    made = dict.fromkeys(names, "x") | dict.fromkeys(counts, 0) | {"defaults": 0, "cancelled": 0, "skipped": 0, "late_worth": 0.0}
    made |= {"mode": "live", "explore": 0.02, "entropy": None, "arms": [], "trust": [], "lag": None, "shares": [], "replicas": []}
    made |= {"lift": Lift(ModeStatus(0, None), ModeStatus(0, None), None, None, None, "no control"), "changes": [], "ready": True}
    return Status(**made | changed)


def page_of(found):
    return rendered("service/experiment.html", **page_view.shown(found), lines="curl", data="data")


class Elements(HTMLParser):
    """Names of elements, attributes, and texts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.attributes, self.texts = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.texts.append(data)


def test_names_are_text_wherever_they_stand():
    spans = [Span(1, 50, {HOSTILE[0]: 0.5, HOSTILE[1]: 0.5}, 0.0)]
    found = status(
        arms=[arm(name, cluster=name) for name in HOSTILE],
        shares=spans,
        trust=list(HOSTILE),
        replicas=[Replica(HOSTILE[0], 1, 0.0)],
        changes=[Change(1, "change", 0.0, HOSTILE[1])],
    )
    read = Elements(page_of(found))
    assert not {"script", "b"} & set(read.elements)
    for name in HOSTILE:
        assert read.texts.count(name) >= 2
    assert not [name for name, _ in read.attributes if name.startswith("on") or name == "style"]


def test_every_count_is_shown():
    counts = {"decisions": 12_345, "rewards": 11_111, "waiting": 222, "late": 33, "orphans": 4, "skipped": 5, "cancelled": 66}
    texts = " ".join(Elements(page_of(status(**counts, late_worth=7.5, lag=Lag(0.25, 90.0, 1000), entropy=0.61))).texts)
    for text in ("12,345", "11,111", "222", "33", "4", "5", "66 closed without a reward", "by 7.5", "250 ms", "90 s", "0.61"):
        assert text in texts


def test_what_is_not_known_is_said():
    texts = " ".join(Elements(page_of(status(arms=[arm("a", plays=0, mean=None)]))).texts)
    assert "Nothing has been learnt yet" in texts
    assert "not played yet" in texts
    assert "Not known: no control." in texts


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0.01, 0.05, "better than"), (-0.05, -0.01, "worse than"), (-0.01, 0.05, "not shown to differ from")],
)
def test_the_lift_is_said_with_its_interval(low, high, said):
    lift = Lift(ModeStatus(900, 0.13), ModeStatus(100, 0.11), (low + high) / 2, low, high)
    assert f"Live is {said} control" in page_view.shown(status(lift=lift))["lift"].said


def test_groups_stand_by_their_plays_and_arms_within():
    arms = [arm("a", 1, cluster="x"), arm("b", 5, cluster="y"), arm("c", 3, cluster="x"), arm("d", 2, cluster="y")]
    groups = page_view.shown(status(arms=arms))["groups"]
    assert [(group.name, [row.arm for row in group.rows]) for group in groups] == [("y", ["b", "d"]), ("x", ["c", "a"])]


def test_of_many_arms_those_played_most_are_listed():
    found = page_view.shown(status(arms=[arm(f"ad-{n}", plays=n) for n in range(1000)]))
    assert [row.arm for row in found["groups"][0].rows] == [f"ad-{n}" for n in range(999, 899, -1)]
    assert found["left_out"] == 900


def heights(path):
    """The places of a path by x."""
    return [tuple(map(float, pair.split(","))) for pair in re.findall(r"[-\d.e]+,[-\d.e]+", path)]


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3).filter(any), min_size=1, max_size=9))
def test_shares_are_stacked_to_the_full_height(counts):
    spans = [
        Span(10 * n + 1, 10 * n + 10, {"a": row[0] / sum(row), "b": row[1] / sum(row)}, row[2] / sum(row))
        for n, row in enumerate(counts)
    ]
    bands = page_figures.bands(spans)
    size = len(spans) + 2
    outlines = [heights(band.path) for band in bands]
    assert all(len(outline) == 2 * size for outline in outlines)
    assert [y for _, y in outlines[-1][size:]] == [100.0] * size  # the lowest stands on the ground
    assert all(abs(y) < 0.05 for _, y in outlines[0][:size])  # and the highest reaches the top
    for upper, lower in pairwise(outlines):
        assert upper[size:] == lower[:size][::-1]
    assert outlines[0][0][0] == 0.0
    assert outlines[0][size - 1][0] == page_figures.WIDE


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e6), st.integers(0, 9)), min_size=1, max_size=9))
def test_means_lie_in_their_intervals_and_in_the_figure(rows):
    arms = [arm(f"a{n}", plays, mean, width) for n, (mean, width, plays) in enumerate(rows)]
    scale = page_figures.scale_of(arms)
    for one in arms:
        drawn = page_figures.whisker(one, scale)
        assert 0.0 <= drawn.low <= drawn.mean <= drawn.high <= page_figures.WIDE


class Played(Live):
    """A service with an experiment of hostile names."""

    def __init__(self, folder):
        super().__init__(folder)
        self.decided = 0
        config = {"arms": HOSTILE, "clusters": dict(zip(HOSTILE, ["<i>x</i>", "y"] * 3, strict=True)), "policy": "UCBC"}
        self.client.put("ads", config | {"control": 0.5, "reward_range": [0.0, 1.0]})
        self.play(120)

    def play(self, count):
        self.decided += count
        decisions = self.client.decide_many("ads", [{}] * count)
        self.client.reward_many("ads", [{"id": one.id, "value": float(n % 3 == 0)} for n, one in enumerate(decisions)])


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    served = Played(tmp_path_factory.mktemp("page"))
    yield served
    served.close()


@pytest.mark.parametrize("path", ["/", "/experiments/ads"])
def test_the_policy_of_the_page_allows_its_own_style_and_script_alone(live, path):
    first, second = live.get(path), live.get(path)
    nonces = re.findall(r'nonce="([^"]+)"', first.text)
    assert len(nonces) == 2
    assert len(set(nonces)) == 1
    said = first.headers["content-security-policy"]
    assert said.startswith("default-src 'none'; ")
    assert f"script-src 'nonce-{nonces[0]}'" in said
    assert "unsafe" not in said
    assert nonces[0] not in second.text
    part = live.get(f"{path}?part=1")
    assert part.text in first.text
    assert "<script" not in part.text


def test_an_experiment_that_is_not_there_is_said_on_a_page(live):
    answer = live.get("/experiments/nobody")
    assert answer.status_code == 404
    assert "There is no experiment &#39;nobody&#39;." in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_the_list_names_each_experiment(live):
    text = live.get("/").text
    assert '<a href="experiments/ads" id="to-ads">ads</a>' in text


def test_a_name_of_another_host_is_refused(live):
    assert httpx.get(live.url, headers={"Host": "elsewhere.example"}).status_code == 403


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="the browser test needs playwright")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("the browser test needs Chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def open_page(browser, live):
    """Open a page; it must say nothing on the console, and ask nothing."""
    opened, said = [], []

    def make(path="/experiments/ads", *, quiet=True, **options):
        context = browser.new_context(**{"viewport": {"width": 390, "height": 800}} | options)
        page = context.new_page()
        if quiet:
            page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.goto(live.url + path)
        opened.append(context)
        return page

    yield make
    for context in opened:
        context.close()
    assert said == []


def count(page):
    return int(page.locator("#count-decisions").inner_text().replace(",", ""))


def wait_for(page, number):
    page.locator("#count-decisions", has_text=re.compile(f"^{number:,}$")).wait_for(timeout=60_000)


def test_numbers_change_without_a_reload(open_page, live):
    page = open_page()
    page.evaluate("window.kept = true")
    live.play(30)
    wait_for(page, live.decided)
    assert page.evaluate("window.kept")


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["/", "/experiments/ads", "/experiments/nobody"])
def test_the_page_is_as_wide_as_its_window(open_page, width, path):
    page = open_page(path, viewport={"width": width, "height": 800}, quiet="nobody" not in path)
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_hostile_names_stay_text(open_page):
    page = open_page()
    headers = page.get_by_role("rowheader").all_inner_texts()
    assert {name.strip() for name in HOSTILE} <= {header.strip() for header in headers}
    assert page.title() == "ads"
    assert page.locator("main b, main i, main script").count() == 0


def test_the_page_runs_no_script_and_no_style_but_its_own(open_page):
    page = open_page(quiet=False)
    page.evaluate("""() => {
        const script = document.createElement("script");
        script.textContent = "window.ran = true";
        document.body.append(script);
        document.querySelector("main").insertAdjacentHTML("beforeend",
            '<p id="bad" style="color: rgb(1, 2, 3)" onclick="window.ran = true">x</p>');
    }""")
    page.locator("#bad").click()
    assert page.evaluate("window.ran") is None
    assert page.evaluate("getComputedStyle(document.getElementById('bad')).color") != "rgb(1, 2, 3)"


def test_everything_is_reached_with_the_keyboard_and_keeps_it(open_page, live):
    page = open_page()
    reached = []
    for _ in range(4):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id || document.activeElement.textContent"))
    assert reached == ["hedgerow", "pause", "arms-table", "These numbers as JSON"]
    page.locator("#arms-table").focus()
    live.play(10)
    wait_for(page, live.decided)
    assert page.evaluate("document.activeElement.id") == "arms-table"


def test_a_key_pauses_it(open_page, live):
    page = open_page()
    page.locator("#pause").press("Enter")
    assert page.locator("#pause").inner_text() == "Go on"
    before = count(page)
    live.play(10)
    other = open_page()
    wait_for(other, live.decided)
    assert count(page) == before


def test_without_script_all_of_it_is_there(open_page):
    page = open_page(java_script_enabled=False)
    assert count(page) >= 120
    assert page.get_by_role("row").count() > len(HOSTILE)
    assert not page.locator("#pause").is_visible()


def test_it_has_a_light_and_a_dark_face(open_page):
    colours = [
        open_page(color_scheme=scheme).evaluate("getComputedStyle(document.body).backgroundColor") for scheme in ("light", "dark")
    ]
    brightness = [sum(map(int, re.findall(r"\d+", colour))) for colour in colours]
    assert brightness[0] > 600
    assert brightness[1] < 150


def test_when_the_service_is_away_it_says_so(browser, tmp_path):
    served = Played(tmp_path)
    page = browser.new_page()
    page.goto(f"{served.url}/experiments/ads")
    served.close()
    page.get_by_text("The service does not answer; these numbers are old.").wait_for(timeout=60_000)
    assert count(page) == 120
    page.close()


@pytest.fixture
def guarded(tmp_path):
    """A service that asks for tokens even on its page, as one does that listens beyond this machine."""
    tokens = "read:a-secret-that-reads admin:a-secret-of-the-owner"
    served = Live(tmp_path, "--host", "127.0.0.1", HEDGEROW_TOKENS=tokens, HEDGEROW_TOKEN="a-secret-of-the-owner")
    served.client.put("ads", {"arms": ["a", "b"], "policy": "UCB"})
    yield served
    served.close()


def test_a_browser_gives_its_token_as_a_password_and_cannot_change_anything(guarded):
    path = "/v1/experiments/ads"
    assert guarded.get(path, auth=("anybody", "a-secret-that-reads")).status_code == 200
    for password in ("", "wrong", "a-secret-of-nobody"):
        assert guarded.get(path, auth=("anybody", password)).status_code == 401
    for header in ("Basic", "Basic !", "Basic YQ==", "Basic /w=="):
        assert guarded.get(path, headers={"Authorization": header}).status_code == 401
    owner = ("anybody", "a-secret-of-the-owner")
    assert httpx.delete(guarded.url + path, auth=owner, timeout=60.0).status_code == 401
    assert httpx.post(f"{guarded.url}{path}/refold", auth=owner, timeout=60.0).status_code == 401
    refused = guarded.get("/experiments/ads", auth=("anybody", "wrong"))
    assert refused.headers["WWW-Authenticate"].startswith("Basic ")
    assert guarded.get("/experiments/ads?part=1", auth=("anybody", "a-secret-that-reads")).status_code == 200
