# The forest of differences: with ggplot2 by autoplot(), and with the graphics of R by plot().

forest <- function(x) {
  tests <- if (inherits(x, "crossroads_audit")) x$tests else x
  if (is.null(tests)) refuse("this audit has no tests of targets and attributes.")
  p <- if (is.null(tests[["p_bh"]])) tests[["p"]] else tests[["p_bh"]]
  found <- data.frame(
    test = tests$test, difference = tests$difference, low = tests$low, high = tests$high,
    holds = !is.na(p) & p < 0.05
  )
  found$test <- factor(found$test, levels = found$test[order(found$difference)])
  found
}

autoplot.crossroads_tests <- function(object, ...) {
  drawn <- forest(object)
  difference <- low <- high <- test <- holds <- NULL # columns of the data
  ggplot2::ggplot(drawn, ggplot2::aes(x = difference, y = test, xmin = low, xmax = high, colour = holds)) +
    ggplot2::geom_vline(xintercept = 0, linetype = 2) +
    ggplot2::geom_pointrange() +
    ggplot2::scale_colour_manual(
      values = c("TRUE" = "#1b6ca8", "FALSE" = "#8a8a8a"), name = NULL,
      labels = c("TRUE" = "generalizes to other words", "FALSE" = "not shown for other words")
    ) +
    ggplot2::labs(x = "difference of mean cosines, 95 % interval over words", y = NULL)
}

autoplot.crossroads_audit <- function(object, ...) autoplot.crossroads_tests(object, ...)

plot.crossroads_tests <- function(x, ...) {
  drawn <- forest(x)
  at <- as.integer(drawn$test)
  old <- par(mar = c(4.5, 8, 1, 1))
  on.exit(par(old))
  colours <- ifelse(drawn$holds, "#1b6ca8", "#8a8a8a")
  plot(drawn$difference, at, xlim = range(drawn$low, drawn$high, 0, na.rm = TRUE), yaxt = "n", ylab = "",
       xlab = "difference of mean cosines, 95 % interval over words", type = "n", ...)
  abline(v = 0, lty = 2)
  segments(drawn$low, at, drawn$high, at, col = colours)
  points(drawn$difference, at, pch = 19, col = colours)
  axis(2, at = at, labels = drawn$test, las = 1)
  invisible(drawn)
}

plot.crossroads_audit <- function(x, ...) plot.crossroads_tests(x, ...)
