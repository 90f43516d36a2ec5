module local

go 1.27.1

require go.bytecodealliance.org/pkg v0.4.0

// Both are written by `patchbay plugin build`: what generated code stands on, and the generated code itself.
replace go.bytecodealliance.org/pkg => ./build/go-pkg
