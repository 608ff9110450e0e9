# Adjusted p-values by R's p.adjust, for tests/core/inference/test_multiplicity.py.
# Written with R 4.2.2 on 2026-11-15:   Rscript adjust.R > adjust.json
digits <- function(v) format(v, digits = 17, scientific = TRUE, trim = TRUE)
list_of <- function(v) paste0("[", paste(digits(v), collapse = ", "), "]")
cases <- list(
  list(name = "ten tests, unsorted", p = c(0.042, 0.001, 0.73, 0.011, 0.28, 0.0004, 0.05, 0.039, 0.9, 0.022)),
  list(name = "ties", p = c(0.03, 0.01, 0.03, 0.01, 0.03)),
  list(name = "zero and one", p = c(0, 1, 0.5, 1e-300)),
  list(name = "one test", p = c(0.2)),
  list(name = "nothing significant", p = c(0.6, 0.45, 0.8, 0.99)),
  list(name = "accumulated", p = c(0.010, 0.013, 0.014, 0.190, 0.350, 0.500, 0.630, 0.670, 0.750, 0.810))
)
rows <- sapply(cases, function(case) paste0(
  '  {"name": "', case$name, '", "p": ', list_of(case$p),
  ', "holm": ', list_of(p.adjust(case$p, "holm")),
  ', "bh": ', list_of(p.adjust(case$p, "BH")), "}"))
cat('{"software": "', R.version.string, ', stats ', as.character(packageVersion("stats")),
    '",\n "date": "', format(Sys.Date()), '",\n "cases": [\n',
    paste(rows, collapse = ",\n"), "\n]}\n", sep = "")
