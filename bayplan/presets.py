"""The shipped presets by name, out of the installed package; they are text, `policies` reads them."""

from importlib import resources

from policies.model.loading import Loaded, load

_FOLDER = resources.files("policies") / "presets"


def names() -> tuple[str, ...]:
    """Return the names of all presets."""
    files = (entry.name for entry in _FOLDER.iterdir())
    return tuple(sorted(name.removesuffix(".yaml") for name in files if name.endswith(".yaml")))


def text(name: str) -> str:
    """Return a preset as it was written, comments included.

    Raises:
        KeyError: there is no such preset; the message names those that are.
    """
    if name not in names():
        raise KeyError(f"no preset {name!r}; allowed is {', '.join(names())}")
    return (_FOLDER / f"{name}.yaml").read_text(encoding="utf-8")


def preset(name: str) -> Loaded:
    """Return a preset as a policy."""
    return load(text(name), file=f"{name}.yaml")
