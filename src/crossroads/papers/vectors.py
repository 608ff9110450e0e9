"""Reproductions on static vectors: the numbers of a paper beside ours."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from crossroads.errors import one_of
from crossroads.evidence import Embeddings
from crossroads.evidence.model_names import model_name
from crossroads.papers.ceat.detection import detected
from crossroads.papers.cells import Found, Reproduction
from crossroads.papers.published import table
from crossroads.papers.rsa.reproduction import fitted


def reproduce(
    paper: str, emb: Embeddings, *, same_vectors: bool | None = None, seed: int = 0
) -> Reproduction:
    """Reproduce the numbers of a paper and put them beside ours.

    Parameters
    ----------
    paper
        ``"ceat-ibd"`` or ``"rsa"``.
    emb
        The vectors; with those of the paper this is a full reproduction.
    same_vectors
        Whether they are those of the paper, which determines what a difference means. By default they are
        assumed to be if they have its number of dimensions and its number of words.
    seed
        The random seed.
    """
    one_of("paper", paper, PAPERS)
    source = table(paper)
    same = _recognised(emb, source["fingerprint"]) if same_vectors is None else same_vectors
    cells, notes, found = PAPERS[paper][1](emb, source, same, seed)
    if not same:
        notes = [
            f"Measured on other vectors than the paper's ({source['vectors']}): digits cannot agree. To get "
            f"those: {source['get']}.",
            *notes,
        ]
    return Reproduction(
        paper=paper,
        title=source["title"],
        citation=source["citation"],
        doi=source["doi"],
        published_vectors=source["vectors"],
        vectors=model_name(emb.provenance),
        same_vectors=same,
        cells=tuple(cells),
        notes=tuple(notes),
        coverage=None if found is None else found.coverage,
        conventions={
            **({} if found is None else found.conventions),
            "measure": "reproduction",
            "paper": paper,
            "seed": seed,
        },
        provenance=(emb.provenance,),
    )


def _recognised(emb: Embeddings, fingerprint: Mapping[str, Any]) -> bool:
    size = emb.provenance.details.get("vocabulary", len(emb))
    return emb.dim == fingerprint["dim"] and size in fingerprint["vocabulary"]


PAPERS: Mapping[str, tuple[str, Callable[[Embeddings, Mapping[str, Any], bool, int], Found]]] = {
    "ceat-ibd": ("IBD and EIBD of Guo and Caliskan (2021)", detected),
    "rsa": ("Table 1 of Lepori (2020)", fitted),
}
"""Reproductions on static vectors: name to title and function."""
