//! Extracts the message from a mail: its first paragraph.

/// How lines of a body are joined (RFC 3676).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Flow {
    /// Each line stands alone.
    #[default]
    Fixed,
    /// A line that ends with a space continues on the next one.
    Flowed {
        /// That space is not part of the text.
        del_sp: bool,
    },
}

const SIGNATURE: &str = "-- ";

/// The message: the lines up to the first empty one (SPEC 4.9) or a signature. No-break spaces become ordinary ones,
/// which are in the GSM alphabet.
pub fn text_of(body: &str, flow: Flow) -> String {
    let lines = body.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line));
    let message = lines.skip_while(|line| line.trim().is_empty()).take_while(|line| !ends(line));
    let mut text = String::new();
    let mut goes_on = true;
    for line in message {
        if !goes_on {
            text.push('\n');
        }
        goes_on = match flow {
            Flow::Fixed => {
                text.push_str(line.trim_end());
                false
            }
            Flow::Flowed { del_sp } => {
                // RFC 3676 adds a space to a line that begins with one.
                let line = line.strip_prefix(' ').unwrap_or(line);
                let continued = line.strip_suffix(' ');
                text.push_str(continued.unwrap_or(line));
                if continued.is_some() && !del_sp {
                    text.push(' ');
                }
                continued.is_some()
            }
        };
    }
    text.trim().chars().map(|one| if one == '\u{a0}' { ' ' } else { one }).collect()
}

fn ends(line: &str) -> bool {
    line.trim().is_empty() || line == SIGNATURE || line == SIGNATURE.trim_end()
}
