# Differences in tables of targets by attributes by R's lmerTest, for tests/core/inference/test_crossed.py.
# Written with R 4.2.2 and lmerTest 3.1-3 on 2026-11-17:   Rscript crossed.R > crossed.json
#
# y ~ g * h with g and h coded -1/2 and 1/2, so that the coefficient of g:h is the difference of differences.
# Targets have random intercepts and slopes over h, attributes over g, uncorrelated (REML). In balanced tables
# its standard error is that of crossed inference where no variance is estimated as 0. lmerTest pools the
# variances of both sets of a facet and we do not, so degrees of freedom differ.
suppressMessages(library(lmerTest))
digits <- function(v) format(v, digits = 17, scientific = TRUE, trim = TRUE)
list_of <- function(v) paste0("[", paste(digits(v), collapse = ", "), "]")
world <- function(n, m, effect, of_target, of_attribute, of_cell, seed) {
  g <- rep(c(1, -1) / 2, each = n)
  h <- rep(c(1, -1) / 2, each = m)
  i <- seq_len(2 * n)
  j <- seq_len(2 * m)
  u <- of_target * cbind(sin(seed + 7 * i), cos(2 * seed + 5 * i))
  v <- of_attribute * cbind(sin(3 * seed + 11 * j), cos(seed + 3 * j))
  e <- of_cell * outer(i, j, function(a, b) sin(seed + 13 * a * b + 1.7 * a * a - 0.9 * b))
  0.2 + effect * outer(g, h) + u[, 1] + outer(u[, 2], h) + outer(rep(1, 2 * n), v[, 1]) + outer(g, v[, 2]) + e
}
cases <- list(
  list(name = "eight words per set", n = 8, m = 8, args = list(0.3, 0.2, 0.3, 0.05, 1)),
  list(name = "few targets, many attributes", n = 4, m = 12, args = list(0.0, 0.4, 0.3, 0.1, 2)),
  list(name = "attributes vary most", n = 10, m = 5, args = list(0.2, 0.05, 0.6, 0.03, 3)),
  list(name = "targets vary most", n = 6, m = 9, args = list(-0.5, 0.7, 0.06, 0.02, 4)),
  list(name = "noisy cells", n = 12, m = 12, args = list(0.1, 0.3, 0.3, 0.4, 5))
)
one <- function(case) {
  y <- do.call(world, c(list(case$n, case$m), case$args))
  at <- expand.grid(t = seq_len(2 * case$n), a = seq_len(2 * case$m))
  d <- data.frame(y = as.vector(y), t = factor(at$t), a = factor(at$a),
                  g = ifelse(at$t <= case$n, 0.5, -0.5), h = ifelse(at$a <= case$m, 0.5, -0.5))
  fit <- lmer(y ~ g * h + (1 | t) + (0 + h | t) + (1 | a) + (0 + g | a), d, REML = TRUE,
              control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e6)))
  found <- coef(summary(fit))["g:h", ]
  paste0('  {"name": "', case$name, '", "n_x": ', case$n, ', "n_a": ', case$m,
         ',\n   "table": [', paste(apply(y, 1, list_of), collapse = ",\n             "), '],',
         '\n   "singular": ', tolower(isSingular(fit)),
         ', "difference": ', digits(found["Estimate"]), ', "se": ', digits(found["Std. Error"]),
         ', "df": ', digits(found["df"]), ', "pvalue": ', digits(found["Pr(>|t|)"]), "}")
}
cat("[\n", paste(sapply(cases, one), collapse = ",\n"), "\n]\n", sep = "")
