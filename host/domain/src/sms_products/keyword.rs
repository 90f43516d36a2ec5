//! Words with which subscribers stop messages, and ask for them again (SPEC 4.8).

/// What a reply says about further messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptOutWord {
    /// No more of them.
    Stop(&'static str),
    /// They are welcome again.
    Start,
}

/// The words that stop.
const STOP: [&str; 5] = ["STOP", "END", "CANCEL", "QUIT", "UNSUBSCRIBE"];

impl OptOutWord {
    /// The word that a reply consists of, whatever its case and the space around it; `None` for any other text.
    pub fn of(text: &str) -> Option<Self> {
        let said = text.trim();
        if said.eq_ignore_ascii_case("START") {
            return Some(Self::Start);
        }
        STOP.into_iter().find(|word| said.eq_ignore_ascii_case(word)).map(Self::Stop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_five_words_stops_in_any_case_and_with_space_around_it() {
        for word in STOP {
            let (lower, spaced) = (word.to_lowercase(), format!(" \t{word}\r\n"));
            for said in [word, lower.as_str(), spaced.as_str()] {
                assert_eq!(OptOutWord::of(said), Some(OptOutWord::Stop(word)), "{said:?}");
            }
        }
    }

    #[test]
    fn start_ends_it() {
        assert_eq!(OptOutWord::of(" start "), Some(OptOutWord::Start));
    }

    #[test]
    fn a_word_within_a_text_says_nothing() {
        for said in ["", "please stop", "STOP IT", "STOP.", "ENDE", "restart"] {
            assert_eq!(OptOutWord::of(said), None, "{said:?}");
        }
    }
}
