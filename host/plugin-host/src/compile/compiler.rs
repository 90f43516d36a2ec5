//! The program that compiles components.

use std::path::PathBuf;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiler {
    /// A child process: this program with these arguments and one more for [`compile_child`].
    Child {
        program: PathBuf,
        /// The arguments before the one for [`compile_child`].
        arguments: Vec<String>,
    },
    InProcess,
}
