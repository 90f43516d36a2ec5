//! Removes hints of the Rust runtime to set a variable of the environment, which a plugin does not have.

const VARIABLE: &str = "RUST_BACKTRACE";

/// The text without the lines that advise to set `RUST_BACKTRACE`. Other text stays byte for byte.
pub fn remove_hints(text: &str) -> String {
    text.split_inclusive('\n').filter(|line| !is_hint(line)).collect()
}

fn is_hint(line: &str) -> bool {
    let line = line.trim_start();
    line.contains(VARIABLE)
        && (line.starts_with("note: ") || line.starts_with("Run with ") || line.starts_with("run with "))
}

#[cfg(test)]
mod tests {
    use super::remove_hints;

    #[test]
    fn a_hint_to_set_a_variable_is_left_out() {
        let panic = "thread 'main' panicked at src/lib.rs:5:9:\nno order\n";
        let hint = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        assert_eq!(remove_hints(&format!("{panic}{hint}after\n")), format!("{panic}after\n"));
    }

    #[test]
    fn a_line_of_the_plugin_about_the_variable_stays() {
        for text in ["RUST_BACKTRACE is not read here", "note: nothing\n", "", "\n\n"] {
            assert_eq!(remove_hints(text), text);
        }
    }
}
