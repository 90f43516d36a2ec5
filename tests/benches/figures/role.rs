//! This program under another role, in a process of its own: it prints where it listens, and ends with its standard input.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

/// Starts one; answers it with its base URL.
pub fn start<'a>(arguments: impl IntoIterator<Item = &'a str>) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    (child, format!("http://{}", line.trim()))
}
