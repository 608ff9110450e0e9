# Means of clustered values by R's clubSandwich, for tests/inference/test_clustered.py.
# Written with R 4.2.2 and clubSandwich 0.5.8 on 2026-11-17:   Rscript clustered.R > clustered.json
#
# lm(y ~ 1) with the variance CR2 and Satterthwaite's degrees of freedom (Bell & McCaffrey 2002).
suppressMessages(library(clubSandwich))
digits <- function(v) format(v, digits = 17, scientific = TRUE, trim = TRUE)
list_of <- function(v) paste0("[", paste(v, collapse = ", "), "]")
cases <- list(
  list(name = "equal sizes", sizes = rep(4, 6), seed = 1, binary = FALSE),
  list(name = "unequal sizes", sizes = c(1, 2, 3, 9, 17), seed = 2, binary = FALSE),
  list(name = "one large cluster", sizes = c(40, 2, 2, 1, 1, 3, 2), seed = 3, binary = FALSE),
  list(name = "differences of 0/1 scores", sizes = c(5, 3, 8, 2, 6, 4, 4, 7), seed = 4, binary = TRUE),
  list(name = "items by themselves", sizes = rep(1, 12), seed = 5, binary = FALSE)
)
one <- function(case) {
  g <- rep(seq_along(case$sizes), case$sizes)
  i <- seq_along(g)
  y <- 0.2 + sin(case$seed + 7 * g) + 0.6 * cos(2 * case$seed + 5 * i * i)
  if (case$binary) y <- sign(round(y))
  fit <- lm(y ~ 1)
  found <- coef_test(fit, vcov = vcovCR(fit, cluster = g, type = "CR2"), test = "Satterthwaite")
  df <- if (!is.null(found$df_Satt)) found$df_Satt else found$df
  p <- if (!is.null(found$p_Satt)) found$p_Satt else found$p_val
  paste0('  {"name": "', case$name, '",\n   "values": ', list_of(digits(y)), ',\n   "clusters": ', list_of(g),
         ',\n   "mean": ', digits(found$beta), ', "se": ', digits(found$SE), ', "df": ', digits(df),
         ', "pvalue": ', digits(p), "}")
}
cat("[\n", paste(sapply(cases, one), collapse = ",\n"), "\n]\n", sep = "")
