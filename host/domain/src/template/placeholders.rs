//! Texts with placeholders: `{{1}}` or `{{first_name}}`.

use std::collections::{HashMap, HashSet};

use super::parameter_format::ParameterFormat;
use crate::content::TextParameter;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Pattern {
    pieces: Vec<Piece>,
    /// In the order in which parameters fill them.
    placeholders: Vec<String>,
    named: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Piece {
    Text(String),
    /// Index in `placeholders`.
    Placeholder(usize),
}

impl Pattern {
    /// Parses a text. Numbered placeholders are filled by number, named ones by first appearance; one that appears
    /// twice takes one parameter. Other braces stay as text.
    pub fn parse(text: &str, format: ParameterFormat) -> Self {
        let found = Found::scan(text, format);
        let mut seen = HashSet::new();
        let mut placeholders: Vec<&str> = found.names().filter(|name| seen.insert(*name)).collect();
        if format == ParameterFormat::Positional {
            placeholders.sort_by_key(|name| name.parse::<u32>().unwrap_or(u32::MAX));
        }
        let positions: HashMap<&str, usize> = placeholders.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        let pieces = found.0.into_iter().map(|piece| match piece {
            RawPiece::Text(text) => Piece::Text(text.to_owned()),
            RawPiece::Name(name) => Piece::Placeholder(positions.get(name).copied().unwrap_or_default()),
        });
        let pieces = pieces.collect();
        let placeholders = placeholders.into_iter().map(str::to_owned).collect();
        Self { pieces, placeholders, named: format == ParameterFormat::Named }
    }

    pub fn parameter_count(&self) -> usize {
        self.placeholders.len()
    }

    pub fn placeholders(&self) -> &[String] {
        &self.placeholders
    }

    /// The text with its parameters. A missing parameter is empty.
    pub fn fill(&self, parameters: &[String]) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            Piece::Placeholder(at) => parameters.get(*at).map_or("", String::as_str),
        });
        pieces.collect()
    }

    /// The number of characters of [`Self::fill`]. Counting stops after the piece that exceeds `most`.
    pub fn filled_length(&self, parameters: &[String], most: usize) -> usize {
        let lengths: Vec<usize> = parameters.iter().map(|text| text.chars().count()).collect();
        let mut total = 0;
        for piece in &self.pieces {
            total += match piece {
                Piece::Text(text) => text.chars().count(),
                Piece::Placeholder(at) => lengths.get(*at).copied().unwrap_or_default(),
            };
            if total > most {
                break;
            }
        }
        total
    }

    pub fn parameters(&self, values: &[String]) -> Vec<TextParameter> {
        let pairs = self.placeholders.iter().zip(values);
        let parameter = |(name, text): (&String, &String)| TextParameter {
            name: self.named.then(|| name.clone()),
            text: text.clone(),
        };
        pairs.map(parameter).collect()
    }
}

enum RawPiece<'t> {
    Text(&'t str),
    Name(&'t str),
}

/// The position of the next `}}`. It is searched for once, for any number of open braces before it.
struct Closing<'t> {
    text: &'t str,
    next: Option<usize>,
}

impl Closing<'_> {
    fn after(&mut self, begin: usize) -> Option<usize> {
        if self.next? < begin {
            self.next = self.text.get(begin..)?.find("}}").map(|at| begin + at);
        }
        self.next
    }
}

struct Found<'t>(Vec<RawPiece<'t>>);

impl<'t> Found<'t> {
    fn scan(text: &'t str, format: ParameterFormat) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        let mut closing = Closing { text, next: text.find("}}") };
        while let Some((before, opened)) = rest.find("{{").and_then(|at| rest.split_at_checked(at)) {
            let inside = opened.trim_start_matches('{');
            let begin = text.len() - inside.len();
            let name = closing.after(begin).and_then(|end| Some((text.get(begin..end)?.trim(), text.get(end + 2..)?)));
            let extra_braces = opened.len() - inside.len() - 2;
            pieces.push(RawPiece::Text(before));
            match name.filter(|(name, _)| is_placeholder(name, format)) {
                Some((name, tail)) => {
                    pieces.push(RawPiece::Text(opened.get(..extra_braces).unwrap_or_default()));
                    pieces.push(RawPiece::Name(name));
                    rest = tail;
                }
                None => {
                    pieces.push(RawPiece::Text(opened.get(..extra_braces + 2).unwrap_or_default()));
                    rest = inside;
                }
            }
        }
        pieces.push(RawPiece::Text(rest));
        Self(pieces)
    }

    fn names(&self) -> impl Iterator<Item = &'t str> {
        self.0.iter().filter_map(|piece| match piece {
            RawPiece::Name(name) => Some(*name),
            RawPiece::Text(_) => None,
        })
    }
}

fn is_placeholder(name: &str, format: ParameterFormat) -> bool {
    match format {
        ParameterFormat::Positional => {
            name.bytes().all(|byte| byte.is_ascii_digit()) && name.parse::<u32>().is_ok_and(|number| number > 0)
        }
        ParameterFormat::Named => {
            !name.is_empty() && name.chars().all(|character| character.is_alphanumeric() || character == '_')
        }
    }
}
