// Package privacy checks privacy claims: exactly, where the laws of the outputs are known
// ([Exact]); on given events ([Sampled]); and of a black box, whose events are searched for
// on samples of their own and certified on fresh ones ([Audit], [PairAudit] with a search
// for the pair of inputs, [RecordedAudit] of outputs in files). [Precision] asks whether the
// low-order bits of floating-point outputs betray the input.
package privacy
