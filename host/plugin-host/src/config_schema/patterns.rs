//! The regular expressions of a schema and their sizes. The size determines the time and memory of compilation. A match
//! takes at most one step for each state of the automaton and each byte of the text.

use std::collections::HashMap;

use jsonschema::PatternOptions;
use regex_automata::nfa::thompson::NFA;
use serde_json::{Map, Value};

/// Most different regular expressions of a schema.
pub(super) const MOST: usize = 64;
/// Most bytes of their texts together.
const MOST_TEXT: usize = 16 * 1024;
/// Most bytes of the texts with the flag `i` together. Parsing one takes up to 2 ms for each byte, however small its
/// automaton is, because each class is folded with the tables of Unicode.
const MOST_FOLDED_TEXT: usize = 256;
/// Most bytes of one automaton.
const MOST_BYTES_OF_ONE: usize = 512 * 1024;
/// Most bytes of all compiled automata.
const MOST_BYTES: usize = 16 * 1024 * 1024;
/// In addition to an automaton and its reverse, the library makes tables of this many bytes for each state.
const TABLE_BYTES_OF_A_STATE: usize = 2 * 1024;
/// Most bytes of these tables for one regular expression.
const MOST_TABLE_BYTES: usize = 1024 * 1024;
/// Bytes of states that a match caches for the next one. So small a value turns the cache off: a match walks the
/// automaton, whose size also bounds the memory.
const KEPT_BYTES: usize = 1;

#[derive(Debug, Default)]
pub(super) struct Patterns {
    states: HashMap<String, u64>,
    bytes: usize,
}

impl Patterns {
    /// The error is the fault that the author has to fix.
    pub(super) fn of(schema: &Value) -> Result<Self, String> {
        let mut found = Vec::new();
        collect(schema, &mut found);
        found.sort_unstable();
        found.dedup();
        if found.len() > MOST {
            return Err(format!(
                "the schema of its configuration has {} different regular expressions; {MOST} are allowed",
                found.len()
            ));
        }
        let text: usize = found.iter().map(|pattern| pattern.len()).sum();
        if text > MOST_TEXT {
            return Err(format!(
                "the regular expressions of the schema of its configuration have {text} bytes; {MOST_TEXT} are allowed in \
                 all: shorten them"
            ));
        }
        let folded: usize = found.iter().filter(|pattern| sets_flags(pattern)).map(|pattern| pattern.len()).sum();
        if folded > MOST_FOLDED_TEXT {
            return Err(format!(
                "the regular expressions of the schema of its configuration that set flags, as `(?i)` does, have {folded} bytes; \
                 {MOST_FOLDED_TEXT} are allowed in all: name both cases of a letter instead, as in `[Aa]`"
            ));
        }
        let mut patterns = Self::default();
        for pattern in found {
            patterns.add(pattern)?;
        }
        Ok(patterns)
    }

    fn add(&mut self, pattern: &str) -> Result<(), String> {
        let (states, bytes) = size(pattern)?;
        self.states.insert(pattern.to_owned(), states as u64);
        let tables = states.saturating_mul(TABLE_BYTES_OF_A_STATE).min(MOST_TABLE_BYTES);
        self.bytes = self.bytes.saturating_add(bytes.saturating_mul(2)).saturating_add(tables);
        if self.bytes > MOST_BYTES {
            return Err(format!(
                "the regular expressions of the schema of its configuration take more than {MOST_BYTES} bytes once they are \
                 compiled: simplify them; a repetition such as `{{1,500}}` makes what it repeats as many times larger"
            ));
        }
        Ok(())
    }

    pub(super) fn states(&self, pattern: &str) -> u64 {
        self.states.get(pattern).copied().unwrap_or(1)
    }

    /// Upper bound of the bytes of all compiled automata.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Options of the checker for compiling and matching.
pub(super) fn options() -> PatternOptions<jsonschema::Regex> {
    PatternOptions::regex().size_limit(MOST_BYTES_OF_ONE).dfa_size_limit(KEPT_BYTES)
}

/// States and bytes of the automaton of a regular expression.
fn size(pattern: &str) -> Result<(usize, usize), String> {
    let shown: String = pattern.chars().take(100).collect();
    // The checker refuses a pattern that the library cannot parse, with its own message.
    let Ok(translated) = jsonschema_regex::to_rust_regex(pattern) else { return Ok((1, 1)) };
    let config = NFA::config().nfa_size_limit(Some(MOST_BYTES_OF_ONE));
    match NFA::compiler().configure(config).build(&translated) {
        Ok(automaton) => Ok((automaton.states().len(), automaton.memory_usage())),
        Err(error) if error.size_limit().is_some() => Err(format!(
            "the regular expression `{shown}` of the schema of its configuration takes more than {MOST_BYTES_OF_ONE} bytes once it \
             is compiled: simplify it; a repetition such as `{{1,500}}` makes what it repeats as many times larger"
        )),
        Err(_) => Ok((1, 1)),
    }
}

/// Whether a regular expression sets the flag `i`, or `x`, which allows other ways to write `(?i`.
fn sets_flags(pattern: &str) -> bool {
    pattern.split('(').skip(1).filter_map(|group| group.strip_prefix('?')).any(|group| {
        let flags = group.split([')', ':']).next().unwrap_or_default();
        flags.chars().all(|flag| flag.is_ascii_alphabetic() || flag == '-') && flags.contains(['i', 'x'])
    })
}

fn collect<'a>(schema: &'a Value, patterns: &mut Vec<&'a str>) {
    match schema {
        Value::Object(object) => {
            patterns.extend(object.get("pattern").and_then(Value::as_str));
            let named = object.get("patternProperties").and_then(Value::as_object);
            patterns.extend(named.into_iter().flat_map(Map::keys).map(String::as_str));
            object.values().for_each(|part| collect(part, patterns));
        }
        Value::Array(items) => items.iter().for_each(|part| collect(part, patterns)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(patterns: &[String]) -> Result<Patterns, String> {
        let one = |(index, pattern): (usize, &String)| (index.to_string(), json!({ "pattern": pattern }));
        Patterns::of(&json!({ "properties": patterns.iter().enumerate().map(one).collect::<Map<_, _>>() }))
    }

    #[test]
    fn a_size_is_that_of_the_automaton() {
        let patterns = of(&["^a{10}$".into(), "^a{1000}$".into()]).unwrap();
        let (small, large) = (patterns.states("^a{10}$"), patterns.states("^a{1000}$"));
        assert!((10..30).contains(&small) && (1_000..1_100).contains(&large), "{small} {large}");
    }

    #[test]
    fn regular_expressions_are_bounded_in_number() {
        let with = |count: usize| of(&(0..count).map(|index| format!("^a{index}$")).collect::<Vec<_>>());
        assert!(with(MOST).is_ok());
        assert!(with(MOST + 1).unwrap_err().contains("65 different regular expressions"));
        let named: Map<String, Value> = (0..65).map(|index| (format!("^a{index}$"), json!({}))).collect();
        assert!(Patterns::of(&json!({ "patternProperties": named })).is_err());
    }

    #[test]
    fn regular_expressions_are_bounded_in_length() {
        let with = |length: usize| {
            let others = ('a'..='h').map(|letter| letter.to_string().repeat(2_000));
            of(&others.chain([String::from("x").repeat(length)]).collect::<Vec<_>>())
        };
        assert!(with(384).is_ok());
        assert!(with(385).unwrap_err().contains("16384 are allowed in all"));
    }

    #[test]
    fn regular_expressions_with_flags_are_bounded_in_length() {
        let with = |length: usize| {
            of(&["(?i)yes".into(), format!("(?-s:{})", "a".repeat(999)), format!("(a(?i:{}))", "b".repeat(length))])
        };
        assert!(with(MOST_FOLDED_TEXT - 7 - 8).is_ok());
        let refused = with(MOST_FOLDED_TEXT - 7 - 7).unwrap_err();
        assert!(refused.contains("257 bytes") && refused.contains("`[Aa]`"), "{refused}");
        for plain in ["(?:i)", "(?<i>a)", "(?P<x>a)", "(?s:i)", "(i)", "(?:x)"] {
            assert!(!sets_flags(plain), "{plain}");
        }
        for flagged in ["(?i)a", "a(?s-i:b)", "(?x)( ?i)a", "((?im)a)"] {
            assert!(sets_flags(flagged), "{flagged}");
        }
    }

    #[test]
    fn one_regular_expression_is_bounded_in_size() {
        assert!(of(&[r"^[\w.+-]+@[\w-]+\.[\w.-]+$".into()]).is_ok(), "an ordinary one");
        assert!(of(&[r"^[\p{L} '-]{1,8}$".into()]).is_ok(), "a short name in any alphabet");
        let refused = of(&[r"\p{L}{2000}".into()]).unwrap_err();
        assert!(refused.contains(r"`\p{L}{2000}`") && refused.contains("524288 bytes"), "{refused}");
        assert!(of(&["(a{1000}){1000}".into()]).is_err());
    }

    #[test]
    fn all_regular_expressions_together_are_bounded_in_size() {
        let with = |count: usize| of(&(0..count).map(|index| format!("^x{index}[^a]{{400}}$")).collect::<Vec<_>>());
        let most = (1..MOST).take_while(|count| with(*count).is_ok()).count();
        assert!((4..MOST - 1).contains(&most), "{most} are taken");
        assert!(with(most).unwrap().bytes() <= MOST_BYTES);
        let refused = with(most + 1).unwrap_err();
        assert!(refused.contains("16777216 bytes") && refused.contains("simplify"), "{refused}");
    }
}
