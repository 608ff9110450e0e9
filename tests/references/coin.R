# Exact two-sample permutation tests by R's coin, for tests/inference/test_permutation.py.
# Written with R 4.2.2 and coin 1.4-2 on 2026-11-15:   Rscript coin.R > coin.json
suppressMessages(library(coin))
digits <- function(v) format(v, digits = 17, scientific = TRUE, trim = TRUE)
list_of <- function(v) paste0("[", paste(digits(v), collapse = ", "), "]")
cases <- list(
  list(name = "8 and 8", x = c(0.061, 0.034, 0.102, -0.013, 0.088, 0.047, 0.129, 0.005),
                         y = c(-0.022, 0.051, 0.013, -0.064, 0.039, -0.007, 0.072, -0.031)),
  list(name = "8 and 8, negative", x = c(-0.022, 0.051, 0.013, -0.064, 0.039, -0.007, 0.072, -0.031),
                                   y = c(0.061, 0.034, 0.102, -0.013, 0.088, 0.047, 0.129, 0.005)),
  list(name = "5 and 9", x = c(0.9, 0.35, 0.6, 0.15, 0.8),
                         y = c(0.1, 0.4, 0.2, 0.55, 0.05, 0.3, 0.25, 0.5, 0.45)),
  list(name = "ties", x = c(1, 2, 2, 3, 4, 4), y = c(0, 1, 1, 2, 2, 3)),
  list(name = "12 and 12", x = c(12, 7, 9, 3, 15, 8, 11, 6, 14, 10, 2, 13) / 64,
                           y = c(5, 1, 4, 9, 0, 7, 3, 8, 2, 6, 10, 1) / 64)
)
one <- function(case, alternative) {
  data <- data.frame(s = c(case$x, case$y), g = factor(rep(c("x", "y"), c(length(case$x), length(case$y)))))
  # shift algorithm: exact for the integer-valued scores it is given
  # decimals become integers; binary fractions stay as they are
  k <- if (all(data$s * 64 == round(data$s * 64))) 64 else 1000
  data$s <- round(data$s * k)
  digits(as.numeric(pvalue(oneway_test(s ~ g, data = data, distribution = exact(), alternative = alternative))))
}
rows <- sapply(cases, function(case) paste0(
  '  {"name": "', case$name, '", "x": ', list_of(case$x), ', "y": ', list_of(case$y),
  ', "greater": ', one(case, "greater"), ', "less": ', one(case, "less"),
  ', "two-sided": ', one(case, "two.sided"), "}"))
cat('{"software": "', R.version.string, ', coin ', as.character(packageVersion("coin")), '",\n "cases": [\n',
    paste(rows, collapse = ",\n"), "\n]}\n", sep = "")
