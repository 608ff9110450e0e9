# The maximal mixed model of published tests in the default vectors: python -m benchmarks.validity.peers
# hands it tables of cosines, one line of sizes and one of numbers for each, and keeps what it prints.
suppressMessages(library(lmerTest))
lines <- readLines(commandArgs(TRUE)[1])
for (i in seq(1, length(lines), 2)) {
  sizes <- scan(text = lines[i], quiet = TRUE)  # targets of X, attributes of A, all targets, all attributes
  y <- matrix(scan(text = lines[i + 1], quiet = TRUE), sizes[3], sizes[4], byrow = TRUE)
  at <- expand.grid(word = seq_len(sizes[3]), attr = seq_len(sizes[4]))
  d <- data.frame(c = as.vector(y), word = factor(at$word), attr = factor(at$attr),
                  T = ifelse(at$word <= sizes[1], 0.5, -0.5), A = ifelse(at$attr <= sizes[2], 0.5, -0.5))
  fit <- suppressWarnings(suppressMessages(
    lmer(c ~ T * A + (1 + A | word) + (1 + T | attr), d,
         control = lmerControl(optimizer = "bobyqa", optCtrl = list(maxfun = 1e6)))))
  found <- coef(summary(fit))["T:A", c("Estimate", "Std. Error", "df", "Pr(>|t|)")]
  cat(format(found, digits = 17), tolower(isSingular(fit)), "\n")
}
cat("R", as.character(getRversion()), "lme4", as.character(packageVersion("lme4")),
    "lmerTest", as.character(packageVersion("lmerTest")), "\n")
