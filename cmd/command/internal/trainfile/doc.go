// Package trainfile reads the description of a training that is audited by canaries, and trains it once a request.
//
//	file.go   the file
//	build.go  the training and its account
//	serve.go  a process that an audit asks for trainings
package trainfile
