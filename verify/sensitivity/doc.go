// Package sensitivity checks claims about how far one record can move a map, by an
// adversarial search for the pair of neighbouring inputs that moves it most: among
// datasets of points ([Check]), or inputs of any type ([Pairs]).
package sensitivity
