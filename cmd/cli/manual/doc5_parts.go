// # Experiments
//
// An experiment repeats a figure or table of a paper and sets what it measures beside what the paper
// prints. “dpverify list --experiments” names them with the data they need. This one trains SGD and its
// locally private forms on a LIBSVM or CSV file of two classes:
//
//	$ dpverify experiment prestige/fig-4 --train testdata/data/wdbc.csv --epsilon 0.5,2 --repeats 20
//	| privacy budget ε of one update |                              SGD |             DJW, literal |        PRESTIGE, literal |               DJW, projected |          PRESTIGE, projected |
//	|-------------------------------:|---------------------------------:|-------------------------:|-------------------------:|-----------------------------:|-----------------------------:|
//	|                            0.5 | 0.0127 ± 0.0054 [0.0101, 0.0153] | 0.38 ± 0.17 [0.29, 0.46] | 0.55 ± 0.21 [0.45, 0.65] | 0.115 ± 0.064 [0.085, 0.146] |     0.51 ± 0.19 [0.41, 0.60] |
//	|                              2 | 0.0127 ± 0.0054 [0.0101, 0.0153] | 0.33 ± 0.19 [0.24, 0.43] | 0.45 ± 0.18 [0.36, 0.54] | 0.056 ± 0.027 [0.043, 0.070] | 0.275 ± 0.098 [0.228, 0.321] |
//
// Without --test a quarter of the rows is held out. On the paper's data, with a picture, and so that Ctrl-C
// keeps what is finished:
//
//	dpverify experiment prestige/fig-4 --data DIR --budget quick --plot fig-4.svg --checkpoint fig-4.jsonl
//
// Three experiments measure the auditor. Power sets the ε that it certifies on mechanisms of known ε beside
// what is reachable and what public tools reach; sequential counts the samples until an anytime audit refutes
// a false claim, beside those of one who knows the densities; calibration counts how often every check errs on
// claims whose truth is known:
//
//	dpverify experiment power --only laplace_1,svt5 --samples 100000 --runs 3
//	dpverify experiment sequential --runs 5
//	dpverify experiment calibration --kind events,printed --runs 20
//
// # Parts
//
// A run in n parts is n commands, as in a job array or a matrix of a workflow, and one that merges their
// files. The report is that of a single run, byte for byte. What is chosen before sampling is chosen anew
// by each part, from the seed.
//
//	dpverify report --budget thorough --shard $i/8 -o part-$i.jsonl      # for i from 1 to 8
//	dpverify merge part-*.jsonl -o report.md
//
// A claim is sampled in 16 or 32 pieces, an audit in 32; more parts than that have nothing to do. A file of
// another version, seed, budget or command, a part that is there twice and one that is missing or cut off
// are refused by name. A part that was interrupted goes on where it was when its command is given again.
// A line of a part that is damaged, or there twice, is named and left out; if the report needs it, the part
// is to be run again, which samples that piece alone.
//
// Where merge is too early, it names the parts that are not done: those without a file, and of the others
// how many of their claims they have gone through, and when they last wrote. “merge --watch” waits for them
// and shows the same as a table, on a terminal, or as a line for each change; its files may be a glob, in
// quotes, for they may not be there yet. It ends by merging, or with 2 once --timeout is over.
//
// # Planning
//
// “dpverify plan” reads what audit reads, and says what a run is going to take, before it is run:
//
//	dpverify plan claims.yaml --budget thorough
//	dpverify plan claims.yaml --wall 2h --workers 16 --shards 8
//
// What each claim asks of its mechanism follows from the claim and the seed: of each input so much to search
// and so much to certify. An input that several pairs have is drawn for all of them. The first request at each
// input is repeated twice, to see whether the seed decides (four times where it is said that it does not). Of
// several pairs it is not known which will be certified: there are a least and a most, which is exceeded with a
// probability below 10⁻⁶ a pair. Bets, searches for inputs and probes of low-order bits have a most alone. Of a
// training run, by runs, each output is a training. Recorded outputs, scores of canaries and accounts have nothing
// to sample; record and replay is not planned, because what it asks follows from the calls of the mechanism.
//
// How long it takes is measured. Each mechanism is asked for outputs for a fifth of a second, or where a reply
// takes longer for one reply at an input, which is three trainings and one more where it trains; a mechanism
// that fails is told of as audit would. Then each claim is judged on few of these outputs, at two sizes at least.
// Such times are those of this machine, whatever else it is doing, and differ from run to run: JSON has them under
// “measured” and “suggested”, and all else is the same bytes each time. --no-run does without; memory and what
// is seen are then those of outputs that are single numbers.
//
// A run in --shards parts is prepared in each of them, and again where they are merged, so that more parts
// cost more in all. The clock is that of one part, without the merge, on processors that are always busy: where
// claims are few and quickly sampled, it has been a third longer. For --wall the samples of all claims are
// scaled alike; one that does not reach for the least is an error that says what would. “Sees” is the
// least parameter at an event of mass a half that is refuted with probability 0.99, and the mass from which on
// a loss of a nat more than is claimed is: on any one pair, in the families of events that are searched. Of
// bets that is so if none was lost before the event was fixed. Memory is that of dpverify, about; that of the
// mechanisms is beside it.
//
// # Clusters
//
// With “--shard auto” a part takes its number from the scheduler that started it, and says on standard error
// from which variables; with “--shard auto/8” it also knows that there are 8, where the scheduler does not
// tell, and refuses another number:
//
//	Slurm         SLURM_ARRAY_TASK_ID, _MIN, _MAX, _COUNT, _STEP
//	PBS, Torque   PBS_ARRAY_INDEX, PBS_ARRAYID; no number of parts, and arrays begin at 1
//	LSF           LSB_JOBINDEX, _END, _STEP
//	Grid Engine   SGE_TASK_ID, _FIRST, _LAST, _STEPSIZE
//	AWS Batch     AWS_BATCH_JOB_ARRAY_INDEX, AWS_BATCH_JOB_ARRAY_SIZE
//	Kubernetes    JOB_COMPLETION_INDEX; no number of parts
//	GitLab        CI_NODE_INDEX, CI_NODE_TOTAL
//	CircleCI      CIRCLE_NODE_INDEX, CIRCLE_NODE_TOTAL
//	Buildkite     BUILDKITE_PARALLEL_JOB, BUILDKITE_PARALLEL_JOB_COUNT
//
// DPVERIFY_SHARD=i/n goes before all of them, as for a matrix of a GitHub workflow. DPVERIFY_SHARDS=n stands
// in for the number of parts, and DPVERIFY_SHARD_FIRST=0 says of PBS and Torque that the array begins at 0.
// An array with gaps, one that begins elsewhere (a part that is started again by itself, say) and two
// schedulers that contradict each other are refused: give --shard i/n then.
//
// With Slurm, audit.sh is
//
//	#!/bin/sh
//	#SBATCH --array=1-8 --requeue
//	dpverify audit claims.yaml --shard auto -o "part-$SLURM_ARRAY_TASK_ID.jsonl"
//
// and the report is made when all parts are there:
//
//	parts=$(sbatch --parsable audit.sh)
//	sbatch --dependency=afterok:"$parts" --wrap 'dpverify merge part-*.jsonl -o report.md'
//
// afterok wants exit code 0 of each part, which a part has whatever it finds: it judges nothing. A part that
// is requeued goes on where it was: have it requeued (scontrol requeue) before its job fails, for afterok takes
// a failure for the last word, even where RequeueExit starts the job again.
//
// On Kubernetes an indexed job is such an array. Its parts need a volume in common, and so does the job that
// merges them; testdata/cluster/kubernetes.yaml has both:
//
//	kubectl apply -f testdata/cluster/kubernetes.yaml
//
// Merging an audit needs the same directory: it reads claims.yaml again and asks the mechanisms once more
// for the outputs by which pairs and events were chosen, whose digest is in every part. A claim that has
// changed is refused, and so is a mechanism that gives other outputs than it gave to a part: numerical
// libraries can differ in the last bit between processors, so the parts of one audit belong on machines of
// one kind. Commands are taken from claims.yaml alone, never from a part.
//
// A mechanism that does not take its randomness from the seed would choose another event in each part. The
// first part keeps the outputs that chose, and the others are given its file; merging then needs no
// mechanism. Such an audit cannot be repeated exactly.
//
//	dpverify audit claims.yaml --shard 1/8 -o part-1.jsonl
//	dpverify audit claims.yaml --shard $i/8 --prepared part-1.jsonl -o part-$i.jsonl      # for i from 2 to 8
//	dpverify merge part-*.jsonl -o report.md
//
// On one machine that may go away, --checkpoint FILE keeps what is sampled, and the same command goes on
// from there, after kill -9 too. The file, like that of a part, is locked while the run lives, where the file
// system has locks: a second run on it is refused. What of it is damaged is named and sampled again.
//
// # Recomputed reports
//
// A JSON report stores the sufficient statistics of its figures (basis): counts, the claim, the chosen events, the
// requested sample sizes and the description of an account. “dpverify recheck” recomputes every derived field from
// them. It needs no mechanism, data or samples, takes a few seconds, and works on any machine.
//
//	dpverify audit claims.yaml --format json -o report.json
//	dpverify recheck report.json
//	dpverify recheck report.json claims.yaml --strict
//
// Every field of a report is derived, an input or quoted.
//
//   - Derived fields are recomputed and compared: verdicts, intervals, powers, cells, curves, warnings and
//     sentences. If one differs, recheck names the claim, the field and both values, and exits with 1.
//     It recomputes an exact claim from the report's description or the claims of the program.
//   - Inputs state the claim: id, statement, kind, alpha, seed. Recheck compares them with the claims of the
//     program, or with the claims file if it is the second argument. It then reports missing claims.
//     Without the file, inputs are listed as not checked.
//   - Quoted fields are listed as “quoted, not checked”: title, version, the statistics themselves, example
//     outputs, the growth of the loss and the likely cause. Only seed, alpha and budget of the commands that
//     repeat a run are compared.
//
// A derived field that cannot be recomputed is listed as unchecked, with the reason. Its claim gets the standing open:
// it is not confirmed, and --strict exits with 4. The reasons are a failed check, a sequential test on more than 1000
// training runs of one world, or missing data files. Others are an older version that stored less, and a selected claim
// that is not in the report. Any other unchanged report of this version passes --strict. “dpverify schema recheck”
// describes --format json.
//
// A report also stores statistics of training scores. For canaries they are the number included, the number of right
// guesses for each number of guesses, and the counts at the thresholds of the curve. Only the file can show that the
// guesses are of the most extreme scores. For many runs they are both counts at each threshold, or under --anytime the
// scores themselves, in order. For a sequential test they are the wealth won while the event was learned, and the
// counts of each later block. For an input search they are the counts of the certificate at the chosen input and at the
// smaller one. The report does not show how the search chose these inputs, and no error probability depends on it. For
// a sensitivity or a replay they are the differences measured at the worst pair and at the smallest one.
//
// Recheck cannot show that the statistics come from the mechanism. Consistently changed numbers look like another run,
// and a digest does not help, since whoever changes a report also renews the digest. To check the statistics, repeat
// the run with the report's command and seed. The counts in a report reveal the same about the outputs as its figures,
// but exactly. Scores in a sequential test are outputs.
//
// # Pipelines
//
// --format writes markdown, json, html, junit or sarif; -o FILE is whole or not there, and -o - is
// standard output. The JSON form,
// dpverify/report/v1, only ever gains fields; “dpverify schema report” describes it, and “dpverify diff”
// compares two. Results go to standard output and everything else to standard error, the reason of a
// claim that fails among it, on a line of its own.
//
// Before anything runs, all files of a command are compared, by what they are and not by how they are
// spelled, and its outputs are tried. An output that is also an input or another output, or that a file of
// claims names, is refused, and so is one that cannot be written.
//
// The report of a seed is the same byte for byte; how long a claim took is not, and stands in the lines of
// --events (took), and in the JSON where --times is given (seconds).
//
// --baseline FILE names findings that are known and do not fail the run; --write-baseline records them, with
// a reason for each that may be edited. --summary FILE adds a Markdown summary (GITHUB_STEP_SUMMARY if not
// given), --annotations writes findings as workflow commands, --events FILE writes progress as JSON lines.
// --progress tells of each claim as soon as it is judged, as a terminal shows findings in any case.
//
// A workflow to copy is .github/workflows/audit.yml; “dpverify init github” writes a smaller one. Both use the
// action .github/actions/dpverify, which has the counts of the verdicts and the exit code as outputs, and says
// by fail-on what fails a step.
//
// # Upgrading
//
// Version 0 of dpverify may change its Go packages and its flags between releases, and its verdicts where a check was
// wrong; the changelog says so. What it writes for other programs only ever gains fields: JSON, events, baselines.
//
// Checkpoints and parts hold the samples of one version. Another one refuses them, with both versions in the
// message, as samples that were drawn in two ways are no sample: end a run with the version that began it, or
// begin anew. Builds from a clone are told apart by their commit where “go build” records it, which “dpverify
// version” shows. One without it, as of “go run”, or with changes that are not committed, is told by a digest of
// the program, as “devel (build 0123456789ab)”: its parts, and who merges them, take one program on one
// platform, and checkpoints that were written by “devel” before this are refused. Parts of several platforms take
// a release, or a build of a clean commit.
//
// A claim that has another id than it had answers to both: verify, explain, diff and baselines take the old one,
// and the JSON of a report has it as formerly. What no claim answers to any more is refused with the reason. Ids
// that have changed:
//
//	prestige/settings/threshold             prestige/settings/updates
//	prestige/remark-3                       prestige/alg-1/p-curriculum
//	prestige/remark-3/corrected             prestige/alg-1/p-curriculum/corrected
//	pairwise/lemma-4/tight                  pairwise/lemma-4
//	pairwise/lemma-4/attained               pairwise/lemma-4/search
//	pairwise/alg-3/noise/tight              pairwise/alg-3/noise
//	pairwise/experiments/setting            pairwise/settings/steps
//	pairwise/experiments/setting/convex     pairwise/settings/steps/convex
//	pairwise/experiments/setting/corrected  pairwise/settings/steps/lambda
//	pairwise/experiments/metric/figure-6    pairwise/settings/release
//	pairwise/experiments/setting/epsilon    pairwise/settings/epsilon
//	nonconvex/lemma-2/full-batch            nonconvex/thm-1/iterates
//	nonconvex/experiments/comparison/noise  nonconvex/remark-1/comparison/moments
//
// The Go packages were divided by subject. What was one package each is now, with the names as they were but where
// the new package says what a prefix did (verify.ExactPrivacy is privacy.Exact):
//
//	bounds/accountant   events and their readers          bounds/accountant/event
//	bounds              …Printed, the lines of papers     bounds/printed
//	empirical           limits, betting, slopes           empirical/confidence, permutation tests in limits/permutation
//	empirical           the search for events             empirical/distinguisher
//	empirical           numbers as they are written       internal/decimal
//	empirical/experiment     results; the experiments          empirical/experiment/result; empirical/experiment/papers
//	reports             drawings                          reports/chart
//	verify              guarantees, audits, precision     verify/privacy, whose Guarantee is in verify/guarantee
//	verify              means and rates; laws             verify/mean; verify/distribution
//	verify              sensitivities                     verify/sensitivity
//	verify              printed numbers; formulas         verify/formula
//	verify              pairs; recorded outputs; curves   verify/inputs; verify/outputs; verify
//	verify              processes; journals               verify/process; verify/checkpoint
//	verify/calibration  rows of its tables                verify/calibration/results
//
// # Exit codes
//
//	0    fine; report also where claims are refuted
//	1    verify, audit, merge: a claim is refuted or inconsistent, and not in the baseline; recheck: a field
//	     differs from its recomputed value
//	2    wrong usage, an unknown id, data that cannot be read, an output that cannot be written or would
//	     overwrite another file of the command, a checkpoint in use, a run of more than a day without --yes;
//	     file and line are named
//	3    a check or a mechanism failed
//	4    inconclusive or not run, under --strict; recheck: a field cannot be recomputed
//	130  interrupted by Ctrl-C, SIGTERM or SIGHUP; what was finished is written, and marked partial
//
// The first SIGINT or SIGTERM ends a wait for a file or a pipe within half a second, and work within 5 s,
// with exit code 130.
//
// Where several apply the order is 130, 2, 3, 1, 4. “go run” itself turns every code above 0 into 1: scripts
// should build the command first.
package manual
