// Package scenarios answers: which incidents ship with resilsim?
//
// Each is a YAML file that opens with its mechanism, its instants and what its
// curves must show. A sibling extends another and names the settings that differ,
// nothing else. List names them, Read gives the text of one.
package scenarios
