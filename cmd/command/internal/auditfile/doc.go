// Package auditfile reads what a user wants audited: claims in a file, or in flags.
package auditfile
