module github.com/resilsim/resilsim

go 1.26
