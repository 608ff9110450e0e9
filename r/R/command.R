# The program: where it is, how it is called, and how its errors become conditions of R.

# Every error of this package and of the program is of class "crossroads_error", so that it can be caught by that name.
refuse <- function(..., status = NA_integer_) {
  stop(structure(class = c("crossroads_error", "error", "condition"),
                 list(message = paste0(...), call = NULL, status = status)))
}

crossroads_command <- function() {
  given <- getOption("crossroads.command", Sys.getenv("CROSSROADS_COMMAND", unset = NA))
  found <- if (is.na(given)) unname(Sys.which("crossroads")) else given
  if (!nzchar(found)) {
    refuse("the program crossroads was not found.\n\nhint: pip install \"crossroads-audit[all]\", or set ",
           "options(crossroads.command = \"/path/to/crossroads\").")
  }
  found
}

# Run the program and return what it writes to stdout. A status that the caller does not expect is an error of class
# "crossroads_error" with the message of the program.
run <- function(arguments, expected = 0L) {
  output <- tempfile()
  errors <- tempfile()
  on.exit(unlink(c(output, errors)))
  status <- suppressWarnings(system2(
    crossroads_command(), shQuote(arguments), stdout = output, stderr = errors,
    env = c("CROSSROADS_PROGRESS=0", "PYTHONUTF8=1", outer_libraries())
  ))
  said <- sub("^error: ", "", paste(read_lines(errors), collapse = "\n"))
  if (!status %in% expected) refuse(said, status = status)
  paste(read_lines(output), collapse = "\n")
}

# R puts its own folders before those of the system in the path of shared libraries, where a Python of the system may
# have its library too; another Python would load that one.
outer_libraries <- function() {
  all <- strsplit(Sys.getenv("LD_LIBRARY_PATH"), ":", fixed = TRUE)[[1]]
  own <- startsWith(all, R.home()) | grepl("^/usr/lib", all)
  paste0("LD_LIBRARY_PATH=", shQuote(paste(all[!own], collapse = ":")))
}

read_lines <- function(path) readLines(path, encoding = "UTF-8", warn = FALSE)

# Options of the program from arguments of R: missing = "drop" becomes --missing drop, figures = FALSE --no-figures,
# several values repeat the option, and convention = c(ties = "strict") becomes --convention ties=strict.
as_options <- function(given) {
  if (length(given) && (is.null(names(given)) || any(!nzchar(names(given))))) {
    refuse("options of the program need names, such as missing = \"drop\".")
  }
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    option <- gsub("_", "-", name, fixed = TRUE)
    if (is.null(value)) return(NULL)
    if (!is.null(names(value))) {
      return(c(rbind(paste0("--", option), paste0(names(value), "=", vapply(value, as_text, "")))))
    }
    if (is.logical(value)) return(paste0(if (isTRUE(value)) "--" else "--no-", option))
    c(rbind(paste0("--", option), as_text(value)))
  }))
}

as_text <- function(value) {
  if (is.logical(value)) return(tolower(as.character(value)))
  if (is.numeric(value)) format(value, digits = 15, scientific = FALSE, trim = TRUE) else as.character(value)
}

# A model as an argument: a path or a name, or the file of a matrix with words as row names.
as_model <- function(model, folder) {
  if (is.character(model) && length(model) == 1L) return(model)
  if (!is.matrix(model) || !is.numeric(model) || is.null(rownames(model))) {
    refuse("model is a path, a name, or a numeric matrix with words as row names.")
  }
  if (any(grepl("[[:space:]]", rownames(model)))) {
    refuse("words cannot contain blanks: ", rownames(model)[grepl("[[:space:]]", rownames(model))][1])
  }
  path <- file.path(folder, "matrix.vec")
  numbers <- apply(model, 1, function(row) paste(sprintf("%.17g", row), collapse = " "))
  write_lines(c(paste(dim(model), collapse = " "), paste(rownames(model), numbers)), path)
  path
}

# Designs as a file: one list with x, y, a and b, or several by name.
as_designs <- function(design, folder) {
  if (is.null(design) || is.character(design)) return(design)
  several <- if (any(c("x", "a", "b") %in% names(design))) list(design) else unname(Map(c, design, name = names(design)))
  plain <- lapply(seq_along(several), function(at) {
    one <- several[[at]]
    one$name <- if (is.null(one$name)) paste("design", at) else one$name
    lapply(one, function(value) if (identical(value, one$name)) jsonlite::unbox(value) else as.character(value))
  })
  path <- file.path(folder, "designs.json")
  write_lines(jsonlite::toJSON(list(design = plain)), path)
  path
}

write_lines <- function(text, path) {
  file <- file(path, open = "wb")
  on.exit(close(file))
  writeLines(enc2utf8(text), file, useBytes = TRUE)
}

new_folder <- function() {
  folder <- tempfile("crossroads-")
  dir.create(folder)
  folder
}

# The document that a command prints with --json, with nothing simplified.
document <- function(arguments) {
  arguments <- append(arguments, "--json", after = 1L) # before the -- that ends the options
  jsonlite::fromJSON(run(arguments), simplifyVector = FALSE, bigint_as_char = FALSE)
}
