# The forest of differences: with ggplot2 by autoplot(), and with the graphics of R by plot().

# Colours of the answers to whether there is a difference beyond just these words.
ANSWERS <- c("yes" = "#1b6ca8", "no" = "#b2182b", "cannot tell" = "#8a8a8a")
BEYOND <- c("yes" = "yes, beyond just these words", "no" = "no, less than ordinary", "cannot tell" = "cannot tell yet")

forest <- function(x) {
  tests <- if (inherits(x, "crossroads_audit")) x$tests else x
  if (is.null(tests)) refuse("this audit has no tests of targets and attributes.")
  found <- data.frame(
    test = tests$test, difference = tests$difference, low = tests$low, high = tests$high, agreement = tests$agreement,
    answer = factor(tests$answer, levels = names(ANSWERS))
  )
  found$test <- factor(found$test, levels = found$test[order(found$difference)])
  found
}

autoplot.crossroads_tests <- function(object, ...) {
  drawn <- forest(object)
  difference <- low <- high <- test <- answer <- NULL # columns of the data
  ggplot2::ggplot(drawn, ggplot2::aes(x = difference, y = test, xmin = low, xmax = high, colour = answer)) +
    ggplot2::geom_vline(xintercept = 0, linetype = 2) +
    ggplot2::geom_pointrange() +
    ggplot2::scale_colour_manual(values = ANSWERS, name = NULL, labels = BEYOND) +
    ggplot2::labs(x = "difference of mean cosines, with its interval over words", y = NULL)
}

autoplot.crossroads_audit <- function(object, ...) autoplot.crossroads_tests(object, ...)

plot.crossroads_tests <- function(x, ...) {
  drawn <- forest(x)
  at <- as.integer(drawn$test)
  old <- par(mar = c(4.5, 8, 1, 1))
  on.exit(par(old))
  colours <- ANSWERS[as.character(drawn$answer)]
  plot(drawn$difference, at, xlim = range(drawn$low, drawn$high, 0, na.rm = TRUE), yaxt = "n", ylab = "",
       xlab = "difference of mean cosines, with its interval over words", type = "n", ...)
  abline(v = 0, lty = 2)
  segments(drawn$low, at, drawn$high, at, col = colours)
  points(drawn$difference, at, pch = 19, col = colours)
  axis(2, at = at, labels = drawn$test, las = 1)
  invisible(drawn)
}

plot.crossroads_audit <- function(x, ...) plot.crossroads_tests(x, ...)
