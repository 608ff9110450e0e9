"""Publications that audits cite: those behind measures, batteries and statistical methods."""

from __future__ import annotations

from collections.abc import Mapping

Fields = Mapping[str, str]

REFERENCES: Mapping[str, tuple[str, str, Fields]] = {
    # DOI, or key where there is none: (key, type, fields)
    "10.1126/science.aal4230": (
        "caliskan2017semantics",
        "article",
        {
            "author": "Caliskan, Aylin and Bryson, Joanna J. and Narayanan, Arvind",
            "title": "Semantics derived automatically from language corpora contain human-like biases",
            "journal": "Science",
            "year": "2017",
            "volume": "356",
            "number": "6334",
            "pages": "183--186",
        },
    ),
    "10.48550/arXiv.2408.01966": (
        "wolfe2024mleat",
        "misc",
        {
            "author": "Wolfe, Robert and Hiniker, Alexis and Howe, Bill",
            "title": "{ML-EAT}: A Multilevel Embedding Association Test for Interpretable and Transparent "
            "Social Science",
            "year": "2024",
            "note": "AIES 2024; arXiv:2408.01966",
        },
    ),
    "10.1145/3461702.3462536": (
        "guo2021detecting",
        "inproceedings",
        {
            "author": "Guo, Wei and Caliskan, Aylin",
            "title": "Detecting Emergent Intersectional Biases: Contextualized Word Embeddings Contain a "
            "Distribution of Human-like Biases",
            "booktitle": "Proceedings of the 2021 AAAI/ACM Conference on AI, Ethics, and Society",
            "year": "2021",
            "pages": "122--133",
        },
    ),
    "10.18653/v1/2020.coling-main.151": (
        "lepori2020unequal",
        "inproceedings",
        {
            "author": "Lepori, Michael A.",
            "title": "Unequal Representations: Analyzing Intersectional Biases in Word Embeddings Using "
            "Representational Similarity Analysis",
            "booktitle": "Proceedings of the 28th International Conference on Computational Linguistics",
            "year": "2020",
            "pages": "1720--1728",
        },
    ),
    "10.18653/v1/2022.naacl-main.92": (
        "cao2022theory",
        "inproceedings",
        {
            "author": "Cao, Yang Trista and Sotnikova, Anna and Daum{\\'e} III, Hal and Rudinger, Rachel and "
            "Zou, Linda",
            "title": "Theory-Grounded Measurement of {U.S.} Social Stereotypes in {English} Language Models",
            "booktitle": "Proceedings of NAACL 2022",
            "year": "2022",
            "pages": "1276--1295",
        },
    ),
    "10.18653/v1/N19-1063": (
        "may2019measuring",
        "inproceedings",
        {
            "author": "May, Chandler and Wang, Alex and Bordia, Shikha and Bowman, Samuel R. and "
            "Rudinger, Rachel",
            "title": "On Measuring Social Biases in Sentence Encoders",
            "booktitle": "Proceedings of NAACL-HLT 2019",
            "year": "2019",
            "pages": "622--628",
        },
    ),
    "10.1111/j.2517-6161.1995.tb02031.x": (
        "benjamini1995controlling",
        "article",
        {
            "author": "Benjamini, Yoav and Hochberg, Yosef",
            "title": "Controlling the False Discovery Rate: A Practical and Powerful Approach to Multiple "
            "Testing",
            "journal": "Journal of the Royal Statistical Society: Series B",
            "year": "1995",
            "volume": "57",
            "number": "1",
            "pages": "289--300",
        },
    ),
    "holm1979simple": (
        "holm1979simple",
        "article",
        {
            "author": "Holm, Sture",
            "title": "A Simple Sequentially Rejective Multiple Test Procedure",
            "journal": "Scandinavian Journal of Statistics",
            "year": "1979",
            "volume": "6",
            "number": "2",
            "pages": "65--70",
        },
    ),
    "10.18653/v1/W19-3823": (
        "kurita2019measuring",
        "inproceedings",
        {
            "author": "Kurita, Keita and Vyas, Nidhi and Pareek, Ayush and Black, Alan W. "
            "and Tsvetkov, Yulia",
            "title": "Measuring Bias in Contextualized Word Representations",
            "booktitle": "Proceedings of the First Workshop on Gender Bias in Natural Language Processing",
            "year": "2019",
            "pages": "166--172",
        },
    ),
    "10.4324/9780203771587": (
        "cohen1988statistical",
        "book",
        {
            "author": "Cohen, Jacob",
            "title": "Statistical Power Analysis for the Behavioral Sciences",
            "publisher": "Lawrence Erlbaum Associates",
            "edition": "2nd",
            "year": "1988",
        },
    ),
    "10.1214/aos/1176344552": (
        "efron1979bootstrap",
        "article",
        {
            "author": "Efron, Bradley",
            "title": "Bootstrap Methods: Another Look at the Jackknife",
            "journal": "The Annals of Statistics",
            "year": "1979",
            "volume": "7",
            "number": "1",
            "pages": "1--26",
        },
    ),
    "10.1080/01621459.1987.10478410": (
        "efron1987better",
        "article",
        {
            "author": "Efron, Bradley",
            "title": "Better Bootstrap Confidence Intervals",
            "journal": "Journal of the American Statistical Association",
            "year": "1987",
            "volume": "82",
            "number": "397",
            "pages": "171--185",
        },
    ),
    "10.1016/0197-2456(86)90046-2": (
        "dersimonian1986meta",
        "article",
        {
            "author": "DerSimonian, Rebecca and Laird, Nan",
            "title": "Meta-analysis in Clinical Trials",
            "journal": "Controlled Clinical Trials",
            "year": "1986",
            "volume": "7",
            "number": "3",
            "pages": "177--188",
        },
    ),
    "10.1111/j.1467-985X.2008.00552.x": (
        "higgins2009reevaluation",
        "article",
        {
            "author": "Higgins, Julian P. T. and Thompson, Simon G. and Spiegelhalter, David J.",
            "title": "A Re-evaluation of Random-effects Meta-analysis",
            "journal": "Journal of the Royal Statistical Society: Series A",
            "year": "2009",
            "volume": "172",
            "number": "1",
            "pages": "137--159",
        },
    ),
    "10.3102/10769986006002107": (
        "hedges1981distribution",
        "article",
        {
            "author": "Hedges, Larry V.",
            "title": "Distribution Theory for {Glass}'s Estimator of Effect Size and Related Estimators",
            "journal": "Journal of Educational Statistics",
            "year": "1981",
            "volume": "6",
            "number": "2",
            "pages": "107--128",
        },
    ),
    "10.1093/biomet/33.3.239": (
        "kendall1945treatment",
        "article",
        {
            "author": "Kendall, Maurice G.",
            "title": "The Treatment of Ties in Ranking Problems",
            "journal": "Biometrika",
            "year": "1945",
            "volume": "33",
            "number": "3",
            "pages": "239--251",
        },
    ),
    "10.3389/neuro.06.004.2008": (
        "kriegeskorte2008representational",
        "article",
        {
            "author": "Kriegeskorte, Nikolaus and Mur, Marieke and Bandettini, Peter A.",
            "title": "Representational Similarity Analysis: Connecting the Branches of Systems Neuroscience",
            "journal": "Frontiers in Systems Neuroscience",
            "year": "2008",
            "volume": "2",
            "pages": "4",
        },
    ),
    "10.1093/biomet/26.4.404": (
        "clopper1934use",
        "article",
        {
            "author": "Clopper, C. J. and Pearson, E. S.",
            "title": "The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial",
            "journal": "Biometrika",
            "year": "1934",
            "volume": "26",
            "number": "4",
            "pages": "404--413",
        },
    ),
    "10.1073/pnas.091062498": (
        "tusher2001significance",
        "article",
        {
            "author": "Tusher, Virginia Goss and Tibshirani, Robert and Chu, Gilbert",
            "title": "Significance Analysis of Microarrays Applied to the Ionizing Radiation Response",
            "journal": "Proceedings of the National Academy of Sciences",
            "year": "2001",
            "volume": "98",
            "number": "9",
            "pages": "5116--5121",
        },
    ),
    "10.1080/00401706.1987.10488243": (
        "hosking1987parameter",
        "article",
        {
            "author": "Hosking, J. R. M. and Wallis, J. R.",
            "title": "Parameter and Quantile Estimation for the Generalized {Pareto} Distribution",
            "journal": "Technometrics",
            "year": "1987",
            "volume": "29",
            "number": "3",
            "pages": "339--349",
        },
    ),
    "10.1093/bioinformatics/btp211": (
        "knijnenburg2009fewer",
        "article",
        {
            "author": "Knijnenburg, Theo A. and Wessels, Lodewyk F. A. and Reinders, Marcel "
            "J. T. and Shmulevich, Ilya",
            "title": "Fewer Permutations, More Accurate {P}-values",
            "journal": "Bioinformatics",
            "year": "2009",
            "volume": "25",
            "number": "12",
            "pages": "i161--i168",
        },
    ),
    "skovgaard1987saddlepoint": (
        "skovgaard1987saddlepoint",
        "article",
        {
            "author": "Skovgaard, Ib M.",
            "title": "Saddlepoint Expansions for Conditional Distributions",
            "journal": "Journal of Applied Probability",
            "year": "1987",
            "volume": "24",
            "number": "4",
            "pages": "875--887",
        },
    ),
    "10.1093/biomet/77.4.787": (
        "booth1990randomization",
        "article",
        {
            "author": "Booth, James G. and Butler, Ronald W.",
            "title": "Randomization Distributions and Saddlepoint Approximations in "
            "Generalized Linear Models",
            "journal": "Biometrika",
            "year": "1990",
            "volume": "77",
            "number": "4",
            "pages": "787--796",
        },
    ),
    "pagano1983obtaining": (
        "pagano1983obtaining",
        "article",
        {
            "author": "Pagano, Marcello and Tritchler, David",
            "title": "On Obtaining Permutation Distributions in Polynomial Time",
            "journal": "Journal of the American Statistical Association",
            "year": "1983",
            "volume": "78",
            "number": "382",
            "pages": "435--440",
        },
    ),
}
"""The publications behind measures, catalogue and methods, by DOI; those that have none, by key."""
(
    CALISKAN,
    WOLFE,
    GUO,
    LEPORI,
    CAO,
    MAY,
    BENJAMINI,
    HOLM,
    KURITA,
    COHEN,
    EFRON,
    EFRON_BCA,
    DERSIMONIAN,
    HIGGINS,
    HEDGES,
    KENDALL,
    KRIEGESKORTE,
    CLOPPER,
    TUSHER,
    HOSKING,
    KNIJNENBURG,
    SKOVGAARD,
    BOOTH,
    PAGANO,
) = REFERENCES
