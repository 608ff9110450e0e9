# With the real program: CROSSROADS_COMMAND names it, or it is on the path. Where nothing may be skipped
# (CROSSROADS_FORBID_SKIP), a program that is missing is an error.

forbidden <- !Sys.getenv("CROSSROADS_FORBID_SKIP") %in% c("", "0")

needs_program <- function() {
  given <- Sys.getenv("CROSSROADS_COMMAND", Sys.which("crossroads"))
  if (!nzchar(given) && !forbidden) skip("the program crossroads is not installed")
}

needs_default <- function() {
  needs_program()
  tryCatch(
    weat("default", test = "weat6"),
    crossroads_error = function(e) if (forbidden) stop(e) else skip("no default vectors")
  )
}

emb <- rbind(
  rose = c(1, 0.2), lily = c(0.9, 0.1), wasp = c(0.1, 1), ant = c(0.2, 0.8),
  joy = c(1, 0), love = c(0.8, 0.1), pain = c(0, 1), hate = c(0.1, 0.9)
)
mine <- list(x = c("rose", "lily"), y = c("wasp", "ant"), a = c("joy", "love"), b = c("pain", "hate"))

# the formula of the paper, in R
cosine <- function(u, v) sum(u * v) / sqrt(sum(u^2) * sum(v^2))
association <- function(word) {
  to <- function(set) mean(vapply(set, function(one) cosine(emb[word, ], emb[one, ]), 0))
  to(mine$a) - to(mine$b)
}

test_that("a matrix and a list give the numbers of the formula", {
  needs_program()
  found <- weat(emb, design = mine)
  s <- vapply(c(mine$x, mine$y), association, 0)
  expect_equal(found$effect_size, (mean(s[1:2]) - mean(s[3:4])) / sd(s))
  expect_equal(found$difference, mean(s[1:2]) - mean(s[3:4]))
  expect_equal(found$answer, if (found$p < 0.05) "yes" else "cannot tell")
  expect_equal(found$exact_p, 2 / 6) # two of the six divisions of four words into pairs
  each <- words(found)
  expect_equal(each$word, names(s))
  expect_equal(each$association, unname(s))
  expect_equal(each$set, c("x", "x", "y", "y"))
})

test_that("several designs have their names, and options are passed on", {
  needs_program()
  turned <- list(x = mine$x, y = mine$y, a = mine$b, b = mine$a)
  both <- weat(emb, design = list(one = mine, other = turned), convention = c(alternative = "greater"))
  shared <- both[order(both$test), ]
  expect_equal(shared$test, c("one", "other"))
  expect_equal(shared$effect_size[2], -shared$effect_size[1])
  expect_equal(shared$alternative, c("greater", "greater"))
  expect_equal(shared$exact_p, c(1 / 6, 1))
})

test_that("arguments of R become options of the program", {
  expect_equal(as_options(list(missing = "drop", figures = FALSE, top = 3, test = c("a", "b"))),
               c("--missing", "drop", "--no-figures", "--top", "3", "--test", "a", "--test", "b"))
  expect_equal(as_options(list(convention = list(ddof = 0, ties = "strict"), model_option = c(layer = 3))),
               c("--convention", "ddof=0", "--convention", "ties=strict", "--model-option", "layer=3"))
})

test_that("errors are those of the program", {
  needs_program()
  expect_error(weat("no-such-file.txt"), "there is no such file", class = "crossroads_error")
  expect_error(weat(emb, test = "weat66"), "weat6", class = "crossroads_error")
  expect_error(weat(unname(emb)), "words as row names", class = "crossroads_error")
  expect_error(weat(emb, NULL, mine, "less"), "need names", class = "crossroads_error")
  old <- options(crossroads.command = "")
  on.exit(options(old))
  expect_error(crossroads_command(), "pip install", class = "crossroads_error")
})

test_that("an audit with rules that fails is an error, also over an older audit", {
  needs_program()
  folder <- tempfile("audit-")
  dir.create(folder)
  for (name in c("results.json", "gate.json")) writeLines("{\"passed\": true}", file.path(folder, name))
  failing <- tempfile(fileext = if (.Platform$OS.type == "windows") ".bat" else "")
  writeLines(c("#!/bin/sh", "echo 'error: the disk is full.' >&2", "exit 2"), failing)
  Sys.chmod(failing, "755")
  skip_on_os("windows")
  old <- options(crossroads.command = failing)
  on.exit(options(old))
  caught <- tryCatch(audit("default", output = folder, rules = "rules.toml"), crossroads_error = identity)
  expect_s3_class(caught, "crossroads_error")
  expect_equal(conditionMessage(caught), "the disk is full.")
  expect_equal(caught$status, 2L)
})

test_that("the catalogue is a data frame", {
  needs_program()
  found <- catalog()
  expect_true(all(c("weat1", "weat6") %in% found$name))
  expect_named(found, c("name", "kind", "title"))
})

test_that("an audit is read back as data frames, the same as one test", {
  single <- needs_default()
  folder <- tempfile("audit-")
  found <- audit("default", output = folder, test = c("weat6", "weat1"), figures = FALSE)
  expect_s3_class(found, "crossroads_audit")
  row <- found$tests[found$tests$test == "weat6", ]
  for (column in c("agreement", "effect_size", "exact_p", "difference", "detectable", "p")) {
    expect_equal(row[[column]], single[[column]], info = column)
  }
  # two tests, both with a yes: the interval that agrees with the adjusted p is that of 95 %
  expect_equal(row$answer, "yes")
  expect_true(row$low > 0 && row$p_bh < 0.05 && row$level >= 0.95 && row$ordinary > 1)
  ours <- words(found)
  ours <- ours[ours$test == "weat6", ]
  expect_equal(setNames(ours$association, ours$word)[words(single)$word],
               setNames(words(single)$association, words(single)$word))
  expect_true(file.exists(found$report))
  expect_true(is.na(found$passed))
  expect_true(all(c("measure", "test", "statistic", "value") %in% names(as.data.frame(found))))
  expect_equal(found$checks$chance[found$checks$check == "other words"], found$tests$agreement)
  expect_output(print(found), "audit of GloVe 6B")
  again <- read_audit(folder)
  expect_equal(again$results, found$results)
  drawn <- forest(found)
  expect_equal(levels(drawn$test)[2], "weat6")
  skip_if_not_installed("ggplot2")
  figure <- ggplot2::autoplot(found)
  expect_equal(nrow(ggplot2::layer_data(figure, 2)), 2)
  rules <- tempfile(fileext = ".toml")
  writeLines(c("[[rule]]", "name = \"small\"", "test = \"weat6\"", "statistic = \"effect_size\"", "above = 0.5"), rules)
  gated <- audit("default", output = folder, test = c("weat6", "weat1"), figures = FALSE, rules = rules)
  expect_false(gated$passed)
})

test_that("what is no audit is refused", {
  expect_error(read_audit(tempdir()), "no results.json", class = "crossroads_error")
})

test_that("figures of R draw every test", {
  found <- structure(class = c("crossroads_tests", "data.frame"), row.names = 1:2, list(
    test = c("weat6", "weat3"), difference = c(0.29, 0.05), low = c(0.16, -0.02), high = c(0.41, 0.12),
    agreement = c(0.99, 0.78), answer = c("yes", "cannot tell")
  ))
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_equal(as.character(plot(found)$answer), c("yes", "cannot tell"))
  found$answer <- c("no", "yes")
  expect_equal(as.character(forest(found)$answer), c("no", "yes"))
})
