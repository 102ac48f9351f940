# Primitives of differential privacy that can be recorded and replayed, for R; needs the package jsonlite.
#
#     source("dp_primitives.R")
#     serve(function(noise, records) noise$laplace(length(records), scale = 2, sensitivity = 1))
#
# Every call says what it is given, before any noise, a number or a vector, and the sensitivity that its scale is made
# for: of the whole vector, in l1 for Laplace and in l2 for Gaussian noise.

new_noise <- function(replay = list()) {
  noise <- new.env()
  noise$calls <- list()
  call <- function(primitive, value, scale, sensitivity, size, draw) {
    released <- NULL
    if (length(replay) > 0) {
      released <- as.numeric(unlist(replay[[1]]))
      replay <<- replay[-1]
    }
    if (is.null(released) || length(released) != size) {
      replay <<- list() # another call than the one that was recorded
      released <- draw()
    }
    noise$calls[[length(noise$calls) + 1]] <- list(primitive = primitive, value = value, scale = scale,
      sensitivity = sensitivity, released = released)
    released
  }
  noise$laplace <- function(value, scale, sensitivity) {
    n <- length(value)
    call("laplace", value, scale, sensitivity, n, function() value + scale * rexp(n) * sample(c(-1, 1), n, TRUE))
  }
  noise$gaussian <- function(value, sigma, sensitivity) {
    n <- length(value)
    call("gaussian", value, sigma, sensitivity, n, function() value + rnorm(n, 0, sigma))
  }
  # The place, from 1, of a score, with probability proportional to exp(epsilon * score / (2 * sensitivity)).
  noise$exponential <- function(scores, epsilon, sensitivity) {
    scale <- 2 * sensitivity / epsilon
    1 + call("exponential", scores, scale, sensitivity, 1, function() {
      sample.int(length(scores), 1, prob = exp((scores - max(scores)) / scale)) - 1
    })
  }
  # The places, from 1, of a sample of so many records, each there by a coin of its own.
  noise$poisson <- function(records, rate) {
    which(call("poisson", records, rate, 0, records, function() as.numeric(runif(records) < rate)) == 1)
  }
  # A raw number of (0, 1): what is made of it, no replay can judge.
  noise$uniform <- function() call("uniform", 0, 0, 0, 1, function() runif(1))
  noise
}

# Answers requests until they end. mechanism(noise, input) is one release.
serve <- function(mechanism) {
  lines <- file("stdin", "r")
  while (length(line <- readLines(lines, 1)) > 0) {
    request <- jsonlite::fromJSON(line, simplifyVector = TRUE)
    replay <- jsonlite::fromJSON(line, simplifyVector = FALSE)$replay
    if (!is.null(request$seed)) set.seed(request$seed %% 2147483647)
    reply <- list(outputs = list(), calls = list())
    for (i in seq_len(request$n)) {
      noise <- new_noise(if (is.null(replay)) list() else replay)
      reply$outputs[[i]] <- mechanism(noise, request$input)
      reply$calls[[i]] <- noise$calls
    }
    if (is.null(request$record) && is.null(request$replay)) reply$calls <- NULL
    cat(jsonlite::toJSON(reply, auto_unbox = TRUE, digits = NA, null = "null"), "\n", sep = "")
    flush(stdout())
  }
}
