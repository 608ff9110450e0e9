# Audits: the program writes a folder, which is read back as data frames.

audit <- function(model = "default", output = NULL, test = NULL, design = NULL, rules = NULL, ...) {
  folder <- new_folder()
  on.exit(unlink(folder, recursive = TRUE))
  output <- if (is.null(output)) tempfile("audit-") else output
  given <- c(list(output = output, test = test, words = as_designs(design, folder), rules = rules), list(...))
  run(c("audit", as_options(given), "--", as_model(model, folder)), expected = 0:1) # 1: a rule was broken
  read_audit(output)
}

read_audit <- function(folder) {
  if (!file.exists(file.path(folder, "results.json"))) {
    refuse(folder, " is not the folder of an audit: it has no results.json.")
  }
  results <- read_long(folder)
  gate <- file.path(folder, "gate.json")
  checks <- read_table(folder, "checks.csv")
  structure(class = "crossroads_audit", list(
    folder = normalizePath(folder),
    report = normalizePath(file.path(folder, "report.html")),
    model = results$model[1],
    results = results,
    tests = as_tests(results, read_table(folder, "tests.csv"), checks),
    checks = checks,
    passed = if (file.exists(gate)) jsonlite::fromJSON(gate)$passed else NA
  ))
}

# The long table, from Parquet where a package reads it, else from CSV, which has the same rows.
read_long <- function(folder) {
  path <- file.path(folder, "results.parquet")
  if (file.exists(path) && requireNamespace("nanoparquet", quietly = TRUE)) {
    return(as.data.frame(nanoparquet::read_parquet(path)))
  }
  if (file.exists(path) && requireNamespace("arrow", quietly = TRUE)) {
    return(as.data.frame(arrow::read_parquet(path)))
  }
  read_table(folder, "results.csv")
}

read_table <- function(folder, name) {
  path <- file.path(folder, name)
  if (!file.exists(path)) return(NULL)
  found <- read.csv(path, encoding = "UTF-8", na.strings = "", check.names = FALSE)
  texts <- vapply(found, is.character, NA)
  # before a word that a spreadsheet would take for a formula the program writes an apostrophe
  found[texts] <- lapply(found[texts], function(one) sub("^'([=+@-])", "\\1", one))
  found
}

# One row for each test of targets and attributes, as weat() returns them; answers, and the intervals that agree with the
# adjusted p-values, are those of the checks.
as_tests <- function(results, table, checks) {
  if (is.null(table)) return(NULL)
  other <- checks[checks$check == "other words", , drop = FALSE]
  other <- other[match(table$design, other$test), , drop = FALSE]
  found <- data.frame(
    test = table$design, agreement = table$agreement, answer = other$answer, difference = table$difference,
    low = other$low, high = other$high, level = other$level, ordinary = other$ordinary, words_needed = other$words,
    p = table$p, p_bh = table$p_bh, detectable = table$detectable, exact_p = table$exact_p,
    effect_size = table$effect_size, method = table$method, pattern = table$crossed_pattern
  )
  attr(found, "words") <- long_words(results)
  class(found) <- c("crossroads_tests", class(found))
  found
}

long_words <- function(results) {
  found <- results[results$measure == "mleat" & results$statistic == "association", , drop = FALSE]
  found <- found[grepl("^level 1 [a-z]+ ", found$part), , drop = FALSE]
  data.frame(
    test = found$test, set = sub("^level 1 ([a-z]+) .*$", "\\1", found$part),
    word = sub("^level 1 [a-z]+ ", "", found$part), association = found$value
  )
}

words.crossroads_audit <- function(x, ...) words(x$tests)

as.data.frame.crossroads_audit <- function(x, ...) x$results

format.crossroads_audit <- function(x, ...) {
  counted <- paste0(nrow(x$results), " numbers", if (!is.null(x$tests)) paste0(", ", nrow(x$tests), " tests"))
  c(paste0("<audit of ", x$model, ": ", counted, ">"), paste("report:", x$report),
    if (!is.na(x$passed)) paste("rules:", if (x$passed) "kept" else "broken"))
}

print.crossroads_audit <- function(x, ...) {
  cat(format(x), sep = "\n")
  if (!is.null(x$tests)) print(as.data.frame(unclass(x$tests))[c("test", "agreement", "answer", "difference", "low", "high", "p_bh")])
  invisible(x)
}
