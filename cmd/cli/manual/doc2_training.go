// # Training runs
//
// A training is audited by one run of it, with canaries: records of which a coin of its own includes each. A
// file has a row for each, score,included, in CSV, or such objects in JSON: the score is that of any attack on
// what was released, larger where it speaks for inclusion, and included is 1 or 0. Other columns are passed
// over, but for id: no canary has two rows.
//
//	$ dpverify audit --canaries testdata/audit/canaries.csv --epsilon 1 --delta 1e-5 --alpha 0.01
//	| claim            | where              | theory | measured [interval] | ratio | verdict   |
//	|:-----------------|:-------------------|-------:|--------------------:|------:|:----------|
//	| `audit/canaries` | scores of canaries |    ≤ 1 |      3.07 [2.44, –] |  3.07 | ✗ refuted |
//
// The canaries with the scores furthest from their median are guessed, to be in above it and out below, and the
// others abstained from; how many, is fixed for a few numbers of guesses, which share alpha. That depends on the
// scores alone, which costs nothing: what would is a threshold that was chosen by counting right guesses. The
// bound of ε is what (ε, δ)-DP allows to guesses, which sharpens that of Steinke, Nasr & Jagielski (2023);
// limits.Guesses has the proof. That of --mu is by Mahloujifar, Melis & Chaudhuri (2024), and holds of Gaussian
// privacy: beside a claim of ε it is a figure “if the law is Gaussian”, and decides nothing.
//
// Three things are assumed, whatever the attack and however the scores depend on one another: each canary was
// included by a fair coin of its own (--inclusion: by one of another probability), the scores depend on the
// coins through what was released alone, and a row is a canary. Coins that look otherwise get a warning; pairs
// of which just one was included, rows that repeat one another and coins far from their probability decide
// nothing.
//
// With --event 'score >= 0.3', fixed before the scores are read, the canaries of the event are guessed to be in;
// the one bound is then the published one. It takes their number for fixed, where it follows from the scores: at δ >
// 0 and of μ the verdict rests on a bound that allows for that, which the report has beside it.
//
// A low bound is no privacy: the attack may be weak, and m canaries show no more than the report says. Where δ >
// 0 a training may show all coins with probability δ, so that no run refutes at an alpha below it; 1e-6, which
// is the usual one, is. Each report says what an error of 0.05 would have shown.
//
// The rates and the area that a report has, with a band around the curve, are for the eye: their intervals
// assume independent scores. In a file of claims it is
//
//	claims:
//	  - name: training
//	    canaries: scores.csv
//	    account: {mechanism: sgm, sampling-rate: 0.01, noise-multiplier: 1.1, count: 10000}
//	    guarantee: {epsilon: 8, delta: 1e-5}
//
// event and inclusion are also keys. With an account, one test compares the scores with its ε at the δ and
// with its trade-off function. In go test dptest.Canaries draws the coins and trains,
// and dptest.CanaryAudit takes scores.
//
// Many runs have one score each, with the record in some and without it in others: give them as --samples-a and
// --samples-b, or a process that trains once a request with --exec, --a, --b and --samples below 200 or an event.
//
//	dpverify audit --samples-a with.csv --samples-b without.csv --event 'score >= 1' --mu 0.2
//
// With an event that is fixed beforehand all runs count; fewer than 200 choose a threshold by a part of them, and any
// number is enough for an answer. With --anytime each run is bet on by those before it, in the order of the files: run
// again on files that have grown it goes on, and errs with probability alpha over all looks together. A process stops
// at the run that refutes, and --checkpoint keeps each run as soon as it is over. In a file of claims these are
// event, anytime and samples, beside recorded or exec; --account, or account, adds a trade-off function to be refuted.
// In go test it is dptest.MultiRun.
//
// # Training
//
// From a training loop to a verdict. What is audited here is noisy gradient descent (DP-SGD), by one run of
// it and then by many; Training runs says how the verdicts are reached. All files below stand in one
// directory with the data.
//
// Use worst-case records as canaries. Each canary is an example like all others, included by an independent coin. It
// has its own parameter with the loss slope × parameter: its gradient exceeds the clipping norm, in a direction that no
// other example has. Half of the canaries change the sign at each step, and detect noise that is drawn only once. The
// others keep the sign, and detect sums that accumulate over steps. The canaries must pass through the sampling and
// clipping of your program, or they cannot test them. Copy this file: it draws the coins, keeps the scores and needs
// only Python:
//
//	dpverify help dp_canaries.py > dp_canaries.py
//
// This is a training in Python with canaries in it, train.py. The lines that a loop of yours needs are
// those that name canaries:
//
//	import csv, math, random, sys
//	from dp_canaries import Canaries, serve
//	C, SIGMA, RATE, STEPS = 1.0, 3.0, 0.25, 32                          # as the accountant is told
//	rows = [[float(x) for x in r] for r in list(csv.reader(open("wdbc.csv")))[1:]]
//	top = [max(column) for column in zip(*rows)]
//	data = [([x / t for x, t in zip(r[:-1], top)], r[-1]) for r in rows]
//	d = len(data[0][0])
//
//	def train(seed, canaries):
//	    rng, w = random.Random(seed), [0.0] * (d + len(canaries))       # a parameter more for each canary
//	    for step in range(STEPS):
//	        total = [0.0] * len(w)
//	        for i in [*range(len(data)), *(len(data) + k for k in canaries.rows())]:
//	            if rng.random() < RATE:                                 # sampled, whatever it is
//	                if i < len(data):
//	                    x, y = data[i]
//	                    p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(w, x))))
//	                    first, g = 0, [(p - y) * a for a in x]          # the gradient, from this place on
//	                else:
//	                    first, g = d + i - len(data), [canaries.slope(i - len(data))]
//	                short = min(1, C / math.sqrt(sum(a * a for a in g) or 1))
//	                for k, a in enumerate(g):
//	                    total[first + k] += short * a
//	        noisy = [a + rng.gauss(0, SIGMA * C) for a in total]
//	        canaries.observe(noisy[d:])
//	        w = [a - 0.5 * g / (RATE * len(data)) for a, g in zip(w, noisy)]
//
//	if sys.argv[1:] == ["--serve"]:
//	    serve(train)
//	else:
//	    canaries = Canaries(4000, seed=1, sampling_rate=RATE, noise_multiplier=SIGMA)
//	    train(2, canaries)
//	    canaries.write("scores.csv")
//
// Say what the accountant is told, account.yaml, and ask:
//
//	{mechanism: sgm, sampling-rate: 0.25, noise-multiplier: 3, count: 32}
//
//	python3 train.py
//	dpverify audit --canaries scores.csv --account account.yaml --delta 1e-5 --alpha 0.05
//
// Break it, and ask again: noise of SIGMA * C / 2, or short = 1.
//
// A known order of batches, as without shuffling, gives no amplification by sampling. Pass the canaries that belong to
// the batch of each step, included or not: canaries.observe(noisy[d:], batch=turn). The order must not depend on the
// coins: a canary that is not included keeps its place. Never pass batch= for batches drawn in secret.
//
// In PyTorch the parameters are one more tensor. Per-example gradients, clipping and noise stay those of
// your library or your loop, which sums the gradients over both sorts of examples:
//
//	extra = torch.zeros(len(canaries), requires_grad=True)
//	loss = canaries.slope(i) * extra[i]                             # of the example that is canary i
//	canaries.observe(extra.grad)                                    # after the noise was added, at each step
//
// In JAX they are one more leaf of the tree, and a record has one more field, 0 unless it is a canary, then
// 1 at its place:
//
//	slopes = jnp.array([canaries.slope(k) for k in range(len(canaries))])   # at each step
//	def loss(params, x, y, mark, slopes):
//	    return jnp.where(mark.any(), params["extra"] @ (slopes * mark), model_loss(params["model"], x, y))
//	canaries.observe(noisy["extra"])
//
// In Go, dptest.Canaries draws the coins and asks for the scores, in a test. Pass the included canaries as
// examples, and give each the sum over the steps of the released gradient along it, with the sign of the
// step:
//
//	dptest.Canaries(t, 4000, func(r *rand.Rand, included []bool) []float64 { … }, privacy.ApproximateDP(2.09, 1e-5))
//
// How many canaries? A thousand show a clipping that is missing, or noise that is drawn once; noise of half
// the scale takes some thousands, since one run shows little more than half of what it gives away. Fix the
// number beforehand. With fewer parameters than canaries, their own ones make room; records of your data
// with a wrong label, whose scores are minus their losses in the last model, are canaries for a program
// that cannot be opened: they see far less. verify/calibration/TRAINING.md has how many canaries and
// trainings each of six faults took.
//
// A verdict of consistent has a limited meaning. The report names attacks that this run would have refuted with
// probability at least 0.99, given the ties of its scores and the inclusion probability. With an account, the attacks
// are trainings with half the noise or with sums kept between steps. If the score uses a known order of batches, a
// third attack is a training with that order. The first line of the file must state the score, as dp_canaries.py does.
// Without an account and a stated score, the attack is randomized response at 1.25 ε. Inconclusive means that the score
// is unknown or has too little power, and the report says how many canaries are needed. Neither verdict says that the
// training is private. The audit cannot detect a fault that these canaries do not reach, for example in a layer that
// they do not pass. Refuted means that the training violates the account, or that the coins were used elsewhere, except
// with the error probability.
//
// A file of your own states its score in its first line, which is one of
//
//	# score: randomized-response
//	# score: gaussian
//	# score: sum noise-multiplier=2 steps=30 signs=alternating sampling-rate=0.1
//	# score: likelihood-ratio noise-multiplier=2 steps=30 signs=halves turns=3
//
// The first is for answers of randomized response. The second, which needs --mu, is for a Gaussian release of the coin.
// Sums and likelihood ratios are computed from noisy gradients in units of the clipping norm. If the order of batches
// is known, turns is the number of steps whose batch may have a canary.
//
// Where one run is too weak, train many times with one canary and without it, in a process that trains once
// a request; serve of dp_canaries answers the requests. Bets on the scores stop at the training that
// refutes:
//
//	dpverify audit --exec "python3 train.py --serve" --a 1 --b 0 --samples 40 --anytime \
//	  --account account.yaml --delta 1e-5 --alpha 0.05
//
// --checkpoint FILE keeps each training as soon as it is over. On a cluster the claim stands in a file,
// each task trains its part, and merge gives the bytes of one run (see Parts); this is runs.yaml:
//
//	claims:
//	  - name: training
//	    exec: [python3, train.py, --serve]
//	    pairs: [{a: 1, b: 0}]
//	    account: {mechanism: sgm, sampling-rate: 0.25, noise-multiplier: 3, count: 32}
//	    guarantee: {epsilon: 2.09, delta: 1e-5}
//	    samples: 20
//	    anytime: true
//
//	dpverify audit runs.yaml --alpha 0.05 --shard 1/2 -o part-1
//	dpverify audit runs.yaml --alpha 0.05 --shard 2/2 -o part-2
//	dpverify merge part-1 part-2
//
// Trainings of this program, with each of six faults, are audited in all these ways by
//
//	dpverify experiment canary --train training.yaml --budget quick
//
// where training.yaml describes one:
//
//	algorithm: curricula-softmax  # or curricula-cnn (with data: mnist and --data), laplacesgd, localsgd
//	data: wdbc.csv                # relative to this file
//	sampling-rate: 0.25           # of curricula-…, as the four below; of laplacesgd are epsilon-per-pass,
//	noise-multiplier: 3           # epochs, batch and learning-rate; of localsgd the first two
//	steps: 32
//	clip: 1
//	learning-rate: 0.5
//	guarantee: {delta: 1e-5}      # with epsilon where another than the account's is claimed
//	canaries: 400                 # the most of one run
//	runs: 40                      # the most trainings of many
//
// and may have attack (white-box or black-box), fault (half-scale, no-clip, clip-per-batch, noise-once,
// wrong-rate, same-seed, or a list of them), canary-length (of a canary's gradient, in clipping norms),
// records (the first of the data) and alpha. With --serve the same is a process for audit --exec, with the
// one fault of the file.
//
// # Limits
//
// What dpverify cannot tell:
//
//   - Other inputs. A sampled verdict speaks of the pairs that were tried.
//   - Rare events. A violation at an event rarer than the mass m₀ that the verdict names goes unseen,
//     however gross it is: a δ of 1e-9 is out of a sampler's reach. Computed checks and account do not
//     have this limit.
//   - Your adjacency. Your pairs are taken for neighbours. If they are not, a refutation means nothing;
//     if real neighbours differ more, consistent means nothing.
//   - Side channels. Outputs are watched; time, memory, errors, files and network are not. The low-order
//     bits of floating-point outputs have a claim of their own.
//   - Training runs, beyond what the attack shows that gave the scores of their canaries.
//   - A mechanism that behaves because it is audited. Recorded samples are taken for independent unless
//     they evidently are not.
//   - Repetition. m audits with fresh seeds err with m times alpha.
//
// # Containment
//
// A process runs without a shell, in a process group of its own, and is killed with all of it after an
// error, a timeout (timeout: or --reply-timeout, 30 s for a reply) or Ctrl-C; on Linux so is what left
// the group but kept its environment. A reply has at most 64 MB and 4 Mi values, in arrays and objects
// at most 64 deep, and the time to read it counts as well. On Linux a process may have 4 GiB of memory (memory: or
// --process-memory); elsewhere memory is not limited. Processors, disk, network and files are not
// limited: a process runs with your rights. One that dies, hangs or answers something else is named with
// its standard error, and the other claims go on.
//
// A process inherits from dpverify:
//
//   - The environment, with every variable, secrets included. In a claims file env: lists the names of the variables
//     that the process gets. With env: [PATH, HOME] it gets only these two, and with env: [] none. Names that are not
//     set are skipped. The program itself is found by dpverify's PATH in any case. The variable DPVERIFY_PROCESS is
//     always added: by it dpverify finds what left the process group. With --exec every variable is inherited; to
//     withhold them, start the program by env -i.
//   - The working directory is that of the claims file, and with --exec the current one.
//   - File descriptors: standard input, output and error are pipes to dpverify. Descriptors from 3 on are inherited if
//     whoever started dpverify left them open; a shell closes one with 3<&-. Files that dpverify opens are not
//     inherited.
//   - User, groups, umask, priority and limits (ulimit) are those of dpverify. Only the memory limit differs.
//
// Where dpverify itself is killed, by kill -9 or for want of memory, its mechanisms end with it: on Unix
// /bin/sh waits for that and kills their process groups, and Linux kills the processes that dpverify
// started. Elsewhere a mechanism sees the end of its standard input, and one that does not read it stays.
//
// A run that is estimated to take more than a day, as one of 1e15 samples, is refused before it starts
// unless --yes is given. The estimate supposes a quick mechanism: a million outputs a second.
//
// # Files and numbers
//
// Numbers in flags, data files and claims files are read as JSON writes them: 10, 0.5, 1e-6. Other forms (010, 0x10,
// 1_000, .5) are errors, and so are numbers that no double holds (1e400). An empty value of a flag is an error.
//
// A file above its limit is an error: a data set 1 GiB of text, 10⁷ rows and 10⁸ values; recorded outputs 1 GiB and
// 2²⁴ values; scores of canaries 8 GiB; reports and baselines 256 MiB; tables of events 512 MiB; claims files 4 MiB.
// Compressed data may expand to 100 times their size after the first 16 MiB.
package manual
