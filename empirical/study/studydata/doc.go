// Package studydata has the results of experiments: plain data, for whoever renders them.
package studydata
