module local

go 1.27.1

require go.bytecodealliance.org/pkg v0.4.0

// `patchbay plugin build` writes both: the generated code and the package that it needs.
replace go.bytecodealliance.org/pkg => ./build/go-pkg
