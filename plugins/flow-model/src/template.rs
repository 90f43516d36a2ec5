//! Placeholders in texts: `{name}` stands for a value.

/// Names of values that every conversation has.
pub const FACTS: [&str; 5] = ["name", "phone", "channel", "date", "time"];
/// Beginning of the name of a secret: `{secret.apiKey}`.
pub const SECRET: &str = "secret.";
/// Beginning of the name of an attribute of the contact: `{contact.plan}`.
pub const CONTACT: &str = "contact.";

const LONGEST_NAME: usize = 80;

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Piece<'a> {
    Text(&'a str),
    /// The name in a placeholder.
    Name(&'a str),
}

/// The parts of a text in order. A brace that begins no placeholder is text.
pub fn pieces(template: &str) -> Pieces<'_> {
    Pieces { rest: template }
}

#[derive(Debug, Clone)]
pub struct Pieces<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let placeholder = self.rest.strip_prefix('{').and_then(|after| after.split_once('}'));
        if let Some((name, rest)) = placeholder.filter(|(name, _)| is_name(name)) {
            self.rest = rest;
            return Some(Piece::Name(name));
        }
        let next = self.rest.char_indices().skip(1).find(|(_, character)| *character == '{');
        let (text, rest) = self.rest.split_at(next.map_or(self.rest.len(), |(at, _)| at));
        self.rest = rest;
        Some(Piece::Text(text))
    }
}

fn is_name(name: &str) -> bool {
    let fits = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(fits)
}

/// The names of the placeholders in a text.
pub(crate) fn names(template: &str) -> impl Iterator<Item = &str> {
    pieces(template).filter_map(|piece| match piece {
        Piece::Name(name) => Some(name),
        Piece::Text(_) => None,
    })
}

/// The characters of a text without its placeholders, as a new text.
pub(crate) fn literal(template: &str) -> String {
    let texts = pieces(template).filter_map(|piece| match piece {
        Piece::Text(text) => Some(text),
        Piece::Name(_) => None,
    });
    texts.collect()
}
