# Random-effects combinations by R's metafor, for tests/core/inference/test_random_effects.py.
# Written with R 4.2.2 and metafor 3.8-1 on 2026-11-16:   Rscript metafor.R > metafor.json
#
# rma(yi, vi, method = "DL") is the estimator of DerSimonian and Laird, with a normal test of the mean.
# metafor's own prediction interval takes a normal quantile ("normal" below); pi.type = "riley" takes the t
# quantile with k - 2 degrees of freedom of Higgins, Thompson and Spiegelhalter, which is also ours ("riley").
suppressMessages(library(metafor))
digits <- function(v) format(v, digits = 17, scientific = TRUE, trim = TRUE)
list_of <- function(v) paste0("[", paste(digits(v), collapse = ", "), "]")
many <- 1:40
cases <- list(
  list(name = "heterogeneous", y = c(0.10, 0.90, -0.35, 0.42, 1.30, 0.05), v = c(0.04, 0.02, 0.06, 0.03, 0.05, 0.02)),
  list(name = "homogeneous", y = c(0.30, 0.31, 0.29, 0.32, 0.28), v = c(0.04, 0.05, 0.06, 0.03, 0.05)),
  list(name = "three", y = c(0.2, 0.5, 0.8), v = c(0.01, 0.01, 0.01)),
  list(name = "variances far apart", y = c(0.2, -0.7, 1.1, 0.4), v = c(0.001, 0.5, 2, 0.01)),
  list(name = "negative", y = c(-0.8, -1.1, -0.5, -0.9, -0.7, -1.4, -0.2), v = c(0.02, 0.03, 0.01, 0.05, 0.02, 0.04, 0.03)),
  list(name = "as a CEAT: small variances, many samples",
       y = 0.4 + 0.3 * sin(many), v = 0.002 + 0.001 * cos(3 * many)),
  list(name = "far in the tail", y = 1.2 + 0.1 * sin(many), v = rep(0.001, 40))
)
one <- function(case) {
  fit <- rma(yi = case$y, vi = case$v, method = "DL")
  normal <- predict(fit)
  riley <- predict(fit, pi.type = "riley")
  paste0('  {"name": "', case$name, '",\n   "effect_sizes": ', list_of(case$y), ', "variances": ', list_of(case$v),
         ',\n   "effect_size": ', digits(as.numeric(fit$beta)), ', "se": ', digits(fit$se),
         ', "pvalue": ', digits(fit$pval), ', "tau2": ', digits(fit$tau2), ', "i2": ', digits(fit$I2 / 100),
         ', "q": ', digits(fit$QE),
         ',\n   "normal": ', list_of(c(normal$pi.lb, normal$pi.ub)),
         ', "riley": ', list_of(c(riley$pi.lb, riley$pi.ub)), "}")
}
cat('{"software": "', R.version.string, ', metafor ', as.character(packageVersion("metafor")),
    '",\n "date": "', format(Sys.Date()), '",\n "cases": [\n',
    paste(sapply(cases, one), collapse = ",\n"), "\n]}\n", sep = "")
