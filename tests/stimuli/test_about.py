from __future__ import annotations

from typing import Any

import pytest

from crossroads.errors import DesignError
from crossroads.stimuli import Citation


def test_a_citation_gives_its_address() -> None:
    assert Citation("Somebody (2020)").url is None
    assert Citation("Somebody (2020)", "10.1000/182").url == "https://doi.org/10.1000/182"


@pytest.mark.parametrize("doi", ["https://doi.org/10.1000/182", "doi:10.1000/182", "11.1/2", "", 10.1])
def test_what_is_not_a_doi_is_refused(doi: Any) -> None:
    with pytest.raises(DesignError, match="is not a DOI"):
        Citation("Somebody (2020)", doi)


def test_a_citation_without_text_is_refused() -> None:
    with pytest.raises(DesignError, match="text of a citation"):
        Citation(" ")
