"""Publications that audits cite: those behind measures, batteries, statistical methods and vectors."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources

Fields = Mapping[str, str]


def _read() -> dict[str, tuple[str, str, Fields]]:
    text = resources.files("crossroads.report").joinpath("references.toml").read_text(encoding="utf-8")
    found: dict[str, tuple[str, str, Fields]] = {}
    for key, entry in tomllib.loads(text).items():
        fields = {name: value for name, value in entry.items() if name not in ("type", "doi")}
        found[entry.get("doi", key)] = (key, entry["type"], fields)
    return found


REFERENCES: Mapping[str, tuple[str, str, Fields]] = _read()
"""Key, type and fields of each publication, by its DOI; of those that have none, by the key."""

CALISKAN = "10.1126/science.aal4230"
WOLFE = "10.48550/arXiv.2408.01966"
GUO = "10.1145/3461702.3462536"
LEPORI = "10.18653/v1/2020.coling-main.151"
CAO = "10.18653/v1/2022.naacl-main.92"
MAY = "10.18653/v1/N19-1063"
BENJAMINI = "10.1111/j.2517-6161.1995.tb02031.x"
HOLM = "holm1979simple"
KURITA = "10.18653/v1/W19-3823"
COHEN = "10.4324/9780203771587"
EFRON = "10.1214/aos/1176344552"
EFRON_BCA = "10.1080/01621459.1987.10478410"
DERSIMONIAN = "10.1016/0197-2456(86)90046-2"
HIGGINS = "10.1111/j.1467-985X.2008.00552.x"
HEDGES = "10.3102/10769986006002107"
KENDALL = "10.1093/biomet/33.3.239"
KRIEGESKORTE = "10.3389/neuro.06.004.2008"
CLOPPER = "10.1093/biomet/26.4.404"
TUSHER = "10.1073/pnas.091062498"
HOSKING = "10.1080/00401706.1987.10488243"
KNIJNENBURG = "10.1093/bioinformatics/btp211"
SKOVGAARD = "skovgaard1987saddlepoint"
BOOTH = "10.1093/biomet/77.4.787"
PAGANO = "pagano1983obtaining"
PENNINGTON = "10.3115/v1/D14-1162"
HAMILTON = "10.18653/v1/P16-1141"
CAMERON = "10.1198/jbes.2010.07136"
SATTERTHWAITE = "10.2307/3002019"
EFRON_JACKKNIFE = "10.1214/aos/1176345462"
