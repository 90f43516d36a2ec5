//! Secrets for commands. On the command line all users of the machine can read them.

use std::io::BufRead;

use anyhow::{Context as _, bail};
use settings::Secret;

use crate::cli::{accounts::GivenPassword, given_token::GivenToken};

const SECRET_MAX: u64 = 64 * 1024;

pub(super) fn password(given: GivenPassword) -> anyhow::Result<Secret> {
    match given.password {
        Some(password) => Ok(password),
        None => from_stdin("password"),
    }
}

pub(super) fn token(given: GivenToken) -> anyhow::Result<Secret> {
    match given.access_token {
        Some(token) => Ok(token),
        None => from_stdin("access token"),
    }
}

pub(super) fn from_stdin(what: &str) -> anyhow::Result<Secret> {
    let line = first_line(std::io::stdin().lock()).with_context(|| format!("cannot read the {what}"))?;
    if line.is_empty() {
        bail!("no {what} on standard input: pipe it in, for example with `< {what}.txt`");
    }
    Ok(Secret::from(line.as_str()))
}

fn first_line(input: impl BufRead) -> anyhow::Result<String> {
    let mut line = String::new();
    input.take(SECRET_MAX).read_line(&mut line)?;
    let end = line.trim_end_matches(['\r', '\n']).len();
    line.truncate(end);
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_the_first_line_and_keeps_its_spaces() {
        for (input, secret) in [
            ("correct horse \n", "correct horse "),
            (" pass\r\nmore\n", " pass"),
            ("no end of line", "no end of line"),
            ("", ""),
        ] {
            assert_eq!(first_line(input.as_bytes()).unwrap(), secret);
        }
        assert!(first_line(&b"\xff\n"[..]).is_err());
    }
}
