# Single tests, and the catalogue.

catalog <- function() {
  entries <- document("catalog")$entries
  data.frame(
    name = names(entries),
    kind = vapply(entries, function(one) one$kind, ""),
    title = vapply(entries, function(one) one$title, ""),
    row.names = NULL
  )
}

weat <- function(model = "default", test = NULL, design = NULL, ...) {
  folder <- new_folder()
  on.exit(unlink(folder, recursive = TRUE))
  given <- c(list(test = test, words = as_designs(design, folder)), list(...))
  results <- document(c("weat", as_options(given), "--", as_model(model, folder)))$results
  found <- do.call(rbind, lapply(results, weat_row))
  attr(found, "words") <- do.call(rbind, lapply(results, weat_words))
  class(found) <- c("crossroads_tests", class(found))
  found
}

number <- function(value) if (is.null(value)) NA_real_ else as.numeric(value)

weat_row <- function(one) {
  crossed <- one$crossed
  p <- number(crossed$pvalue)
  data.frame(
    test = one$design,
    agreement = number(crossed$agreement),
    answer = if (is.na(p) || p >= 0.05) "cannot tell" else "yes",
    difference = number(crossed$difference),
    low = number(crossed$low),
    high = number(crossed$high),
    level = number(crossed$level),
    p = p,
    detectable = number(crossed$detectable),
    effect_size = number(one$effect_size),
    exact_p = number(one$pvalue),
    exact_p_low = number(one$pvalue_low),
    exact_p_high = number(one$pvalue_high),
    method = one$method,
    alternative = one$alternative
  )
}

weat_words <- function(one) {
  sets <- one$sets
  of <- rep(names(sets), lengths(sets))
  words <- unlist(sets, use.names = FALSE)
  at <- match(words, names(one$associations))
  data.frame(
    test = one$design, set = of[!is.na(at)], word = words[!is.na(at)],
    association = vapply(one$associations[at[!is.na(at)]], number, 0, USE.NAMES = FALSE)
  )
}

words <- function(x, ...) UseMethod("words")

words.crossroads_tests <- function(x, ...) attr(x, "words")
