# A mechanism that dpverify audits. Change the first part; the second part answers the requests of dpverify.
#
#     dpverify audit claims.yaml
#
# It needs only R, no package.

epsilon <- 1.0

# mechanism returns a count with two-sided geometric noise. CHANGE: your release for one input.
#
# data is an input of claims.yaml: an array of numbers, strings or booleans is a vector, any other array and an object
# are lists. All random functions of R are seeded below. Other generators, for example of a package, do not repeat:
# seed them in seed_all, or set "seeded: false" in claims.yaml.
mechanism <- function(data) {
  sum(data) + floor(rexp(1, epsilon)) - floor(rexp(1, epsilon))
}

# The rest answers requests, one JSON object per line, and needs no changes.

# set.seed takes a whole number of 31 bits, but the seed of a request has 53 bits, so it is reduced.
seed_all <- function(seed) {
  set.seed(seed %% 2147483647)
}

# read_json parses a JSON text.
read_json <- function(text) {
  token <- "\"(?:[^\"\\\\]|\\\\.)*\"|[-+.0-9eE]+|true|false|null|[][{}:,]"
  tokens <- regmatches(text, gregexpr(token, text, perl = TRUE))[[1]]
  at <- 0
  following <- function() {
    at <<- at + 1
    tokens[at]
  }
  value <- function(t = following()) {
    if (t == "[") {
      items <- list()
      while ((t <- following()) != "]") if (t != ",") items[length(items) + 1] <- list(value(t))
      scalars <- vapply(items, function(i) is.atomic(i) && length(i) == 1, NA)
      alike <- length(unique(vapply(items, function(i) class(i)[1], ""))) <= 1
      if (length(items) == 0) numeric(0) else if (all(scalars) && alike) unlist(items) else items
    } else if (t == "{") {
      items <- list()
      while ((t <- following()) != "}") if (t != ",") {
        name <- unquoted(t)
        following() # the colon
        items[name] <- list(value())
      }
      items
    } else if (startsWith(t, "\"")) {
      unquoted(t)
    } else {
      switch(t, true = TRUE, false = FALSE, null = NULL, as.numeric(t))
    }
  }
  value()
}

# unquoted decodes a JSON string.
unquoted <- function(token) {
  text <- substr(token, 2, nchar(token) - 1)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  pieces <- regmatches(text, gregexpr("\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+", text, perl = TRUE))[[1]]
  paste(vapply(pieces, function(p) {
    if (startsWith(p, "\\u")) return(intToUtf8(strtoi(substr(p, 3, 6), 16)))
    switch(p, "\\n" = "\n", "\\t" = "\t", "\\r" = "\r", "\\b" = "\b", "\\f" = "\f", sub("^\\\\", "", p))
  }, ""), collapse = "")
}

# written encodes a value as JSON: a single number, string or logical is a scalar, several of them are an array, and a
# list with names is an object.
written <- function(value) {
  if (is.null(value)) return("null")
  if (is.factor(value)) value <- as.character(value)
  if (is.list(value) && !is.null(names(value))) {
    fields <- paste0(quoted(names(value)), ":", vapply(value, written, ""))
    return(paste0("{", paste(fields, collapse = ","), "}"))
  }
  if (is.list(value) || length(value) != 1) {
    return(paste0("[", paste(vapply(value, written, ""), collapse = ","), "]"))
  }
  if (is.character(value)) return(if (is.na(value)) "null" else quoted(value))
  if (is.logical(value)) return(if (is.na(value)) "null" else if (value) "true" else "false")
  if (!is.numeric(value)) stop("mechanism returned a ", class(value)[1], ", which has no JSON form")
  if (is.nan(value) || is.na(value)) return("\"nan\"")
  if (is.infinite(value)) return(if (value > 0) "\"inf\"" else "\"-inf\"")
  sprintf("%.17g", value)
}

quoted <- function(text) {
  text <- gsub("([\\\\\"])", "\\\\\\1", enc2utf8(text))
  text <- gsub("\t", "\\t", gsub("\r", "\\r", gsub("\n", "\\n", text, fixed = TRUE), fixed = TRUE), fixed = TRUE)
  paste0("\"", text, "\"")
}

# serve answers requests until the input ends. Replies use standard output, output of the mechanism standard error.
serve <- function(release) {
  requests <- file("stdin", "r", encoding = "UTF-8")
  replies <- stdout()
  while (length(line <- readLines(requests, 1)) > 0) {
    request <- read_json(line)
    if (!is.null(request$seed)) seed_all(request$seed)
    sink(stderr())
    outputs <- vapply(seq_len(request$n), function(i) written(released(release, request$input)), "")
    sink()
    cat("{\"outputs\":[", paste(outputs, collapse = ","), "]}\n", sep = "", file = replies)
    flush(replies)
  }
}

# released returns an output of the mechanism. A function without a value gives NULL, which would be private.
released <- function(release, data) {
  output <- release(data)
  if (is.null(output)) stop("mechanism returned NULL: is its value missing? Return \"none\" if no answer is an output")
  output
}

if (sys.nframe() == 0) serve(mechanism)
