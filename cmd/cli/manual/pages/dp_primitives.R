# Noise primitives that dpverify records and replays, for R. The file needs no package.
#
#     source("dp_primitives.R")
#     serve(function(noise, records) noise$laplace(length(records), scale = 2, sensitivity = 1))
#
# Each call reports its value before noise, a number or a vector, and the sensitivity that its scale is made for. The
# sensitivity is for the whole vector, in l1 for Laplace and in l2 for Gaussian noise. Draw all noise by these calls. An
# input that is a list of numbers becomes a vector, and a list of lists becomes a list of vectors.

new_noise <- function(replay = list(), recording = TRUE) {
  noise <- new.env()
  noise$calls <- list()
  call <- function(primitive, value, scale, sensitivity, size, draw, norm = NULL) {
    released <- NULL
    if (length(replay) > 0) {
      released <- as.numeric(unlist(replay[[1]]))
      replay <<- replay[-1]
    }
    if (is.null(released) || length(released) != size) {
      replay <<- list() # another call than the one that was recorded
      released <- draw()
    }
    if (recording) {
      made <- list(primitive = primitive, value = value, scale = scale, sensitivity = sensitivity, released = released)
      made$norm <- norm
      noise$calls[[length(noise$calls) + 1]] <- made
    }
    released
  }
  laplace <- function(n) rexp(n) * sample(c(-1, 1), n, TRUE)
  noise$laplace <- function(value, scale, sensitivity) {
    n <- length(value)
    call("laplace", value, scale, sensitivity, n, function() value + scale * laplace(n))
  }
  noise$gaussian <- function(value, sigma, sensitivity) {
    n <- length(value)
    call("gaussian", value, sigma, sensitivity, n, function() value + rnorm(n, 0, sigma))
  }
  # Whole numbers with noise of probability proportional to exp(-|k| / scale); sensitivity in l1.
  noise$discrete_laplace <- function(value, scale, sensitivity) {
    n <- length(value)
    p <- -expm1(-1 / scale)
    call("discrete-laplace", value, scale, sensitivity, n, function() value + rgeom(n, p) - rgeom(n, p))
  }
  # Index, from 1, of a score, with probability proportional to exp(epsilon * score / (2 * sensitivity)).
  noise$exponential <- function(scores, epsilon, sensitivity) {
    scale <- 2 * sensitivity / epsilon
    1 + call("exponential", scores, scale, sensitivity, 1, function() {
      sample.int(length(scores), 1, prob = ifelse(scores == max(scores), 1, exp((scores - max(scores)) / scale))) - 1
    })
  }
  # Index, from 1, of the largest score after Laplace noise of the scale.
  noise$noisy_max <- function(scores, scale, sensitivity) {
    1 + call("noisy-max", scores, scale, sensitivity, 1, function() {
      which.max(scores + scale * laplace(length(scores))) - 1
    })
  }
  # value, in 0..k-1, with odds of exp(epsilon) to 1 against each other one.
  noise$randomized_response <- function(value, k, epsilon) {
    call("randomized-response", value, 1 / epsilon, 1, 1, function() {
      if (runif(1) * (exp(epsilon) + k - 1) < exp(epsilon)) return(value)
      other <- sample.int(k - 1, 1) - 1
      other + (other >= value)
    })
  }
  # Any other release that is epsilon-private for this sensitivity; draw() returns `size` numbers.
  noise$pure <- function(value, epsilon, sensitivity, norm, draw, size = 1) {
    call("pure", value, sensitivity / epsilon, sensitivity, size, draw, norm)
  }
  # Indices, from 1, of the records in a Poisson sample: each record is included independently with probability rate.
  noise$poisson <- function(records, rate) {
    which(call("poisson", records, rate, 0, records, function() as.numeric(runif(records) < rate)) == 1)
  }
  # 1..n in a uniformly random order.
  noise$permutation <- function(n) {
    1 + call("permutation", n, 0, 0, n, function() sample.int(n) - 1)
  }
  # n numbers, made by draw(). Neither they nor n may depend on the data.
  noise$public <- function(n, draw) call("public", n, 0, 0, n, draw)
  # A uniform number in (0, 1). Replay cannot judge how it is used.
  noise$uniform <- function() call("uniform", 0, 0, 0, 1, function() runif(1))
  noise
}

# A line of JSON as R has it: lists of numbers, or of strings, as vectors, and objects as named lists.
read_json <- function(line) {
  tokens <- regmatches(line, gregexpr('"(\\\\.|[^"\\\\])*"|[][{}:,]|[^][{}:,"[:space:]]+', line))[[1]]
  at <- 0
  take <- function() {
    at <<- at + 1
    tokens[at]
  }
  text <- function(token) eval(parse(text = gsub("\\/", "/", token, fixed = TRUE)))
  value <- function() {
    token <- take()
    if (token == "[") {
      if (tokens[at + 1] == "]") {
        take()
        return(numeric(0))
      }
      out <- list()
      nested <- FALSE
      repeat {
        nested <- nested || tokens[at + 1] %in% c("[", "{", "null")
        out[length(out) + 1] <- list(value())
        if (take() == "]") break
      }
      if (nested || length(unique(vapply(out, class, ""))) > 1) out else unlist(out)
    } else if (token == "{") {
      out <- list()
      while (tokens[at + 1] != "}") {
        if (tokens[at + 1] == ",") take()
        name <- text(take())
        take() # the colon
        out[name] <- list(value())
      }
      take()
      out
    } else if (startsWith(token, "\"")) {
      text(token)
    } else {
      switch(token, null = NULL, true = TRUE, false = FALSE, as.numeric(token))
    }
  }
  value()
}

# A value in JSON: a vector of one number is that number.
write_json <- function(v) {
  if (is.null(v)) return("null")
  if (is.list(v)) {
    parts <- vapply(v, write_json, "")
    if (is.null(names(v))) return(paste0("[", paste(parts, collapse = ","), "]"))
    return(paste0("{", paste0("\"", names(v), "\":", parts, collapse = ","), "}"))
  }
  parts <- if (is.character(v)) {
    encodeString(v, quote = "\"")
  } else if (is.logical(v)) {
    ifelse(is.na(v), "null", ifelse(v, "true", "false"))
  } else {
    ifelse(is.finite(v), sprintf("%.17g", as.numeric(v)), ifelse(is.na(v), "\"nan\"", ifelse(v > 0, "\"inf\"", "\"-inf\"")))
  }
  if (length(v) == 1) parts else paste0("[", paste(parts, collapse = ","), "]")
}

# Answers requests until they end. mechanism(noise, input) is one release.
serve <- function(mechanism) {
  lines <- file("stdin", "r")
  while (length(line <- readLines(lines, 1)) > 0) {
    request <- read_json(line)
    recording <- !is.null(request$record) || !is.null(request$replay)
    if (!is.null(request$seed)) set.seed(request$seed %% 2147483647)
    outputs <- calls <- vector("list", request$n)
    for (i in seq_len(request$n)) {
      noise <- new_noise(request$replay, recording)
      outputs[i] <- list(mechanism(noise, request$input))
      calls[[i]] <- noise$calls
    }
    reply <- list(outputs = outputs)
    if (recording) reply$calls <- calls
    cat(write_json(reply), "\n", sep = "")
    flush(stdout())
  }
}
