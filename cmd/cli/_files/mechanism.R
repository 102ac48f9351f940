# A mechanism that dpverify audits: the first part is yours to change, the second answers its requests.
#
#     dpverify audit claims.yaml
#
# Needs R and no package.

epsilon <- 1.0

# One release of a count, with two-sided geometric noise. CHANGE: what you release, of one input.
#
# data is an input of claims.yaml: an array of numbers, strings or booleans is a vector, any other array and an object
# are lists. All random functions of R are seeded below. What draws elsewhere (a package's own generator) does not
# repeat: seed it in seed_all, or say "seeded: false" in claims.yaml.
mechanism <- function(data) {
  sum(data) + floor(rexp(1, epsilon)) - floor(rexp(1, epsilon))
}

# What follows answers requests, one JSON object a line, and need not be changed.

# set.seed takes a whole number of 31 bits, and a seed of a request has 53: they are cut to that.
seed_all <- function(seed) {
  set.seed(seed %% 2147483647)
}

# read_json is the value that a text holds.
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

# unquoted is what a string of JSON stands for.
unquoted <- function(token) {
  text <- substr(token, 2, nchar(token) - 1)
  if (!grepl("\\", text, fixed = TRUE)) return(text)
  pieces <- regmatches(text, gregexpr("\\\\u[0-9a-fA-F]{4}|\\\\.|[^\\\\]+", text, perl = TRUE))[[1]]
  paste(vapply(pieces, function(p) {
    if (startsWith(p, "\\u")) return(intToUtf8(strtoi(substr(p, 3, 6), 16)))
    switch(p, "\\n" = "\n", "\\t" = "\t", "\\r" = "\r", "\\b" = "\b", "\\f" = "\f", sub("^\\\\", "", p))
  }, ""), collapse = "")
}

# written is a value as JSON has it: one number, string or logical is itself, more of them are an array, and a list
# with names is an object.
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
  if (!is.numeric(value)) stop("mechanism returned a ", class(value)[1], ", which JSON has not")
  if (is.nan(value) || is.na(value)) return("\"nan\"")
  if (is.infinite(value)) return(if (value > 0) "\"inf\"" else "\"-inf\"")
  sprintf("%.17g", value)
}

quoted <- function(text) {
  text <- gsub("([\\\\\"])", "\\\\\\1", enc2utf8(text))
  text <- gsub("\t", "\\t", gsub("\r", "\\r", gsub("\n", "\\n", text, fixed = TRUE), fixed = TRUE), fixed = TRUE)
  paste0("\"", text, "\"")
}

# serve answers requests until they end. What the mechanism prints goes to standard error: replies have the other.
serve <- function(release) {
  requests <- file("stdin", "r", encoding = "UTF-8")
  replies <- stdout()
  while (length(line <- readLines(requests, 1)) > 0) {
    request <- read_json(line)
    if (!is.null(request$seed)) seed_all(request$seed)
    sink(stderr())
    outputs <- vapply(seq_len(request$n), function(i) written(release(request$input)), "")
    sink()
    cat("{\"outputs\":[", paste(outputs, collapse = ","), "]}\n", sep = "", file = replies)
    flush(replies)
  }
}

if (sys.nframe() == 0) serve(mechanism)
