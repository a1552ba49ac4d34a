"""Who may know whom: units, contract, models; contract, engine, measure; all, world, live."""

import tomllib

import pytest

from .conftest import ROOT, Crate

UNITS = {"lasthop_units"}
CONTRACT = UNITS | {"lasthop_contract"}
BROKER = CONTRACT | {"lasthop_broker"}
CACHE = BROKER | {"lasthop_cache"}
DEVICE = CONTRACT | {"lasthop_device"}
TARIFF = UNITS | {"lasthop_tariff"}
ENGINE = CONTRACT | {"lasthop_engine"}
MODELS = {
    "lasthop_link",
    "lasthop_nbiot",
    "lasthop_transport",
    "lasthop_mqtt",
    "lasthop_coap",
    "lasthop_dds",
    "lasthop_quic",
    "lasthop_tls",
    "lasthop_dtls",
    "lasthop_http",
    "lasthop_jwt",
    "lasthop_websocket",
    "lasthop_traffic",
    "lasthop_gateway",
}
ALL = CACHE | DEVICE | TARIFF | ENGINE | MODELS | {"lasthop_measure"}

MAY_KNOW = {
    "lasthop_units": set[str](),
    "lasthop_contract": UNITS,
    "lasthop_broker": CONTRACT,
    "lasthop_cache": CONTRACT,
    "lasthop_device": CONTRACT,
    "lasthop_tariff": UNITS,
    "lasthop_nbiot_coding": CONTRACT | {"lasthop_nbiot"},
    **dict.fromkeys(MODELS, BROKER),
    "lasthop_coap": CACHE,
    "lasthop_http": CACHE | {"lasthop_jwt"},
    "lasthop_mqtt": BROKER | {"lasthop_jwt"},
    "lasthop_quic": BROKER | {"lasthop_tls"},
    "lasthop_dtls": BROKER | {"lasthop_tls"},
    "lasthop_engine": CONTRACT,
    "lasthop_measure": DEVICE | ENGINE | TARIFF,
    "lasthop_classify": CONTRACT | TARIFF,
    "lasthop_fault": CONTRACT | {"lasthop_classify"},
    "lasthop_world": ALL | {"lasthop_classify", "lasthop_fault"},
    "lasthop_live": ALL | {"lasthop_classify", "lasthop_world"},
    "lasthop_extension": ALL | {"lasthop_world", "lasthop_live"},
    "lasthop_python": ALL
    | {"lasthop_classify", "lasthop_world", "lasthop_live", "lasthop_extension"},
}
"""A new crate gets its place here, in ARCHITECTURE.md and, as a model, a MODEL.md."""

MAY_BE_TESTED_OVER = {"lasthop_transport", "lasthop_link", "lasthop_quic", "lasthop_tls"}
"""What a protocol is tested over, though it knows only the contract."""

MAKES_WHAT_IS_COMMITTED = {"lasthop_nbiot_coding"}
"""Whose programs write tables that other crates hold, and which no crate needs to run."""

HAS_UNSAFE_CODE = {"lasthop_python", "lasthop_extension"}
"""By the macros of pyo3."""


def test_every_crate_knows_only_what_lies_below_it(crates: dict[str, Crate]) -> None:
    for crate in crates.values():
        ours = {name for name in crate.dependencies if name.startswith("lasthop_")}
        allowed = (
            ALL | {"lasthop_world", "lasthop_live"} if crate.is_benchmark else MAY_KNOW[crate.name]
        )
        assert ours <= allowed, crate.name
        tests = {name for name in crate.dev_dependencies if name.startswith("lasthop_")}
        assert tests <= allowed | MAY_BE_TESTED_OVER, crate.name


def test_every_crate_is_there_for_someone(crates: dict[str, Crate]) -> None:
    used = frozenset[str]().union(
        *(crate.dependencies | crate.dev_dependencies for crate in crates.values())
    )
    ends = {"lasthop_python"} | MAKES_WHAT_IS_COMMITTED
    ends |= {crate.name for crate in crates.values() if crate.is_benchmark}
    assert set(crates) - used == ends


def test_native_modules_alone_speak_python(crates: dict[str, Crate]) -> None:
    speakers = {
        crate.name
        for crate in crates.values()
        if any(name.startswith("pyo3") for name in crate.dependencies)
    }
    assert speakers == HAS_UNSAFE_CODE


def test_a_folder_has_the_name_of_its_crate(crates: dict[str, Crate]) -> None:
    for crate in crates.values():
        assert crate.folder.name == crate.name
    folders = {folder.name for folder in (ROOT / "crates").iterdir() if folder.is_dir()}
    assert folders == set(MAY_KNOW)


def test_the_map_of_the_architecture_has_one_line_for_each_crate(crates: dict[str, Crate]) -> None:
    lines = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    for crate in crates.values():
        if not crate.is_benchmark:
            assert sum(line.startswith(f"| `{crate.name}` |") for line in lines) == 1, crate.name


def test_unsafe_code_is_forbidden(crates: dict[str, Crate]) -> None:
    workspace = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]
    assert workspace["lints"]["rust"]["unsafe_code"] == "forbid"
    for crate in crates.values():
        if crate.name in HAS_UNSAFE_CODE:
            continue
        lints = tomllib.loads((crate.folder / "Cargo.toml").read_text(encoding="utf-8"))["lints"]
        forbids = lints.get("rust", {}).get("unsafe_code") == "forbid"
        assert lints == {"workspace": True} or (crate.is_benchmark and forbids), crate.name


@pytest.mark.parametrize("what", ["disallowed-methods", "disallowed-types"])
def test_every_ban_says_why(what: str) -> None:
    bans = tomllib.loads((ROOT / "clippy.toml").read_text(encoding="utf-8"))[what]
    assert bans
    for ban in bans:
        assert isinstance(ban, dict), ban
        assert len(ban.get("reason", "")) > len("because"), ban["path"]


def test_the_host_is_banned() -> None:
    clippy = tomllib.loads((ROOT / "clippy.toml").read_text(encoding="utf-8"))
    banned = {ban["path"] for kind in clippy.values() if isinstance(kind, list) for ban in kind}
    assert {
        "std::time::Instant::now",
        "std::time::SystemTime::now",
        "std::hash::RandomState",
        "std::collections::HashMap",
        "f64::ln",
        "f64::exp",
        "f64::powf",
    } <= banned


def test_every_model_says_first_what_it_leaves_out() -> None:
    for name in sorted(
        MODELS
        | {"lasthop_broker", "lasthop_cache", "lasthop_device", "lasthop_fault", "lasthop_tariff"}
    ):
        model = ROOT / "crates" / name / "MODEL.md"
        sections = [
            line for line in model.read_text(encoding="utf-8").splitlines() if line.startswith("##")
        ]
        assert sections[0] == "## Scope and limitations", name
