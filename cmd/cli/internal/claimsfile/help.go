package claimsfile

// Help of the command that reads the file.
const (
	AuditLong = `Audit judges privacy claims about a mechanism that is not part of this module.

A mechanism is a command that reads one JSON request a line,

    {"input": …, "n": 256, "seed": 42}

and answers each with one line of n outputs,

    {"outputs": [ … ]}

that it draws afresh, with all randomness from the seed. An output is a number,
a string, a boolean, null, "nan", "inf", "-inf", an array of outputs or an object
of them, at most 64 deep. The command is run without a shell; relative to the file that names it,
if one does.

Recorded outputs are files of one output a line: JSON, or CSV where the name ends
in .csv. A part of them chooses the event and the rest certifies.

Many training runs are recorded outputs, or a process that trains once a request:
one score a run, with the record or without. All runs count where an event is
fixed beforehand, --event 'score >= 0.3'; any number is enough for an answer; and
--anytime stops at the run that refutes, on files that grow, too.

A training run is audited by its canaries: a file of score,included, CSV or JSON,
with a row for each record that a coin of its own included, and its score from any
attack on the trained model.

Each claim has a second one about the low-order bits of its floating-point
outputs, audit/NAME/precision; see --precision.

--dry-run judges nothing and writes no file, not even that of -o. It prints the
maximum number of outputs that each claim needs, the core time, the memory and the
violations that the audit detects. A short pilot on real outputs measures the times.
--wall adds the samples that a run of that time allows. With --shard i/n the run has
n parts.

It exits with 1 if a claim is refuted, and with 3 if a mechanism fails.`
	AuditExample = `  dpverify audit claims.yaml
  dpverify audit claims.yaml --dry-run --wall 2h --workers 16
  dpverify audit --exec 'python3 noisy_count.py' --a '[1, 0, 1]' --b '[1, 0, 0]' --epsilon 1
  dpverify audit --canaries scores.csv --epsilon 8 --delta 1e-5 --alpha 0.05
  dpverify audit --samples-a with.csv --samples-b without.csv --event 'score >= 0.3' --mu 1 --anytime
  dpverify audit --samples-a with.jsonl --samples-b without.jsonl --epsilon 0.5 --delta 1e-6`
)
