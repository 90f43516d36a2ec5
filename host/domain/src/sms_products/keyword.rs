//! Words by which subscribers stop messages and start them again (SPEC 4.8).

use unicode_normalization::UnicodeNormalization;

use crate::invisible_characters::is_ignorable;

/// The effect of a reply on further messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OptOutWord {
    /// Stops messages. The word is in capitals.
    Stop(String),
    Start,
}

/// Words that always stop messages (SPEC 4.8).
const STOP: [&str; 5] = ["STOP", "END", "CANCEL", "QUIT", "UNSUBSCRIBE"];
const START: &str = "START";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StopWords(Vec<String>);

impl StopWords {
    /// Words that carriers and regulators ask for, in addition to those of the specification.
    pub const USUAL: [&str; 5] = ["STOPALL", "STOP ALL", "OPTOUT", "OPT OUT", "REVOKE"];

    /// The words of the specification and these. `Err` has a word that no reply can match or that starts messages.
    pub fn with(more: &[String]) -> Result<Self, String> {
        let mut words: Vec<String> = STOP.map(str::to_owned).to_vec();
        for word in more {
            let folded = normalise(word);
            if folded.is_empty() || folded == START {
                return Err(word.clone());
            }
            if !words.contains(&folded) {
                words.push(folded);
            }
        }
        Ok(Self(words))
    }

    /// The effect of a reply that consists of one of the words. Case, full-width letters, invisible characters and
    /// punctuation around it are ignored.
    pub fn effect_of(&self, text: &str) -> Option<OptOutWord> {
        let said = normalise(text);
        if said == START {
            return Some(OptOutWord::Start);
        }
        self.0.contains(&said).then_some(OptOutWord::Stop(said))
    }
}

impl Default for StopWords {
    fn default() -> Self {
        let words = STOP.into_iter().chain(Self::USUAL).map(str::to_owned);
        Self(words.collect())
    }
}

/// A text in the form for comparison: in capitals, with one blank between words. A hyphen counts as a blank.
fn normalise(text: &str) -> String {
    let visible: String = text.nfkc().filter(|one| !is_ignorable(*one)).collect();
    let bare = visible.trim_matches(|one: char| !one.is_alphanumeric());
    let words = bare.split(|one: char| one.is_whitespace() || one == '-').filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ").to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(text: &str) -> Option<OptOutWord> {
        StopWords::default().effect_of(text)
    }

    fn stop(word: &str) -> Option<OptOutWord> {
        Some(OptOutWord::Stop(word.to_owned()))
    }

    #[test]
    fn each_word_stops_in_any_case_and_with_space_around_it() {
        for word in STOP.into_iter().chain(StopWords::USUAL) {
            let (lower, spaced) = (word.to_lowercase(), format!(" \t{word}\r\n\0"));
            for said in [word, lower.as_str(), spaced.as_str()] {
                assert_eq!(effect(said), stop(word), "{said:?}");
            }
        }
    }

    #[test]
    fn invisible_characters_and_punctuation_around_a_word_do_not_hide_it() {
        for said in [
            "\u{feff}STOP",
            "ST\u{200b}OP",
            "\u{200f}stop\u{200e}",
            "S\u{ad}TOP",
            "STOP\u{fe0f}",
            "\u{ff33}\u{ff34}\u{ff2f}\u{ff30}",
            "\u{ff53}top",
            "STOP.",
            "stop!!!",
            "\"STOP\"",
            "\u{201c}Stop\u{201d}",
            "'stop'",
            "\u{ab}STOP\u{bb}",
            "(STOP)",
            "*STOP*",
            "STOP,",
            "\u{a0}STOP\u{3000}",
            "-STOP-",
            "\u{2060}\u{201e}STOP\u{201c}.",
            "STOP\u{fffd}",
            "STOP \u{1f6d1}",
        ] {
            assert_eq!(effect(said), stop("STOP"), "{said:?}");
        }
        assert_eq!(effect("opt-out"), stop("OPT OUT"));
        assert_eq!(effect("Opt  Out."), stop("OPT OUT"));
    }

    #[test]
    fn a_start_word_ends_the_stop() {
        for said in [" start ", "START!", "\u{feff}Start"] {
            assert_eq!(effect(said), Some(OptOutWord::Start), "{said:?}");
        }
    }

    #[test]
    fn a_word_within_a_text_is_not_a_keyword() {
        for said in [
            "",
            "...",
            "please stop",
            "STOP IT",
            "ENDE",
            "restart",
            "don't stop",
            "STOP2",
            "S T O P",
            "stop.it",
            "STOP/END",
        ] {
            assert_eq!(effect(said), None, "{said:?}");
        }
    }

    #[test]
    fn the_operator_may_add_stop_words_and_cannot_remove_those_of_the_specification() {
        let words = StopWords::with(&["Arr\u{ea}t".to_owned(), "durdur".to_owned()]).unwrap();
        assert_eq!(words.effect_of("arr\u{ea}t!"), stop("ARR\u{ca}T"));
        assert_eq!(words.effect_of("DURDUR"), stop("DURDUR"));
        assert_eq!(words.effect_of("quit"), stop("QUIT"));
        assert_eq!(words.effect_of("STOPALL"), None, "these are only where the list says so");
        for wrong in ["", " . ", "start", "\u{200b}"] {
            assert_eq!(StopWords::with(&[wrong.to_owned()]), Err(wrong.to_owned()));
        }
    }
}
