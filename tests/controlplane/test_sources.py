"""The inputs, flags and key of a control plane build."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controlplane import sources

GO_MOD = "module m\n\ngo 1.26.0\n\nrequire (\n\tk8s.io/kubernetes v1.37.2\n)\n"


def test_go_version_is_read_from_go_mod() -> None:
    assert sources.go_needed(GO_MOD) == (1, 26, 0)
    assert sources.go_needed("go 1.25\n") == (1, 25, 0)


def test_go_mod_without_a_go_line_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match=r"has no line `go 1\.N\.P`"):
        sources.go_needed("module m\n")


def test_servers_report_the_pinned_kubernetes_version() -> None:
    flags = sources.link_flags(GO_MOD)

    assert "-X k8s.io/component-base/version.gitVersion=v1.37.2" in flags
    assert "-X k8s.io/component-base/version.gitMinor=37" in flags


def test_go_mod_without_kubernetes_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match=r"does not require k8s\.io/kubernetes"):
        sources.link_flags("go 1.26.0\n")


def test_every_program_has_its_main_file_and_the_inputs_hold_both_modules() -> None:
    inputs = sources.read_inputs()

    for source in sources.PROGRAMS:
        assert (sources.MODULES / source.module / "cmd" / source.name / "main.go").is_file()
    assert {"go.mod", "go.sum", "kwok/go.mod", "kwok/go.sum", "cmd/etcd/main.go"} <= set(inputs)


def test_build_command_writes_into_the_given_folder() -> None:
    command = sources.build_command(sources.PROGRAMS[0], go=Path("/go"), flags="-s", into=Path("/out"))

    assert command[:2] == ["/go", "build"]
    assert command[-3:] == ["-o", "/out/etcd", "./cmd/etcd"]


@given(
    st.dictionaries(st.text(min_size=1, max_size=4), st.binary(max_size=4), min_size=1, max_size=4),
    st.lists(st.text(max_size=4), max_size=3),
    st.data(),
    st.binary(),
)
def test_key_changes_with_every_file_and_flag_and_with_nothing_else(
    files: dict[str, bytes], flags: list[str], data: st.DataObject, added: bytes
) -> None:
    name = data.draw(st.sampled_from(sorted(files)))
    key = sources.build_key(files, flags)

    assert sources.build_key(dict(reversed(files.items())), flags) == key
    assert (sources.build_key(files | {name: files[name] + added}, flags) == key) is (added == b"")
    assert sources.build_key(files, [*flags, "-race"]) != key
