// Package training measures how many canaries, or how many trainings, show that a training is not what its account
// says: trainings of this module, sound and with a fault each.
package training
