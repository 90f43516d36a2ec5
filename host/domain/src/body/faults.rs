//! Faults of a request. A list of faults never becomes much larger than the request that has them.

use std::{fmt, ops::Deref};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// One field at fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldFault {
    /// Its path in the body, such as `messages[0].recipients`; `body` for the whole body; or the name of a parameter or header.
    pub field: String,
    /// The fault and its cure.
    pub message: String,
}

/// Characters of a path at most: names of fields are the caller's own.
const FIELD_MAX: usize = 200;
/// Most characters of a text, because it may repeat the caller's input.
const MESSAGE_MAX: usize = 2_000;

impl FieldFault {
    /// A fault of one field. A very long text is cut.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: shorten(field.into(), FIELD_MAX), message: shorten(message.into(), MESSAGE_MAX) }
    }

    pub fn required(field: impl Into<String>) -> Self {
        Self::new(field, "is required")
    }
}

impl fmt::Display for FieldFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.field, self.message)
    }
}

fn shorten(mut text: String, most: usize) -> String {
    // Bytes are never fewer than characters: most texts need no counting.
    if text.len() > most
        && let Some((cut, _)) = text.char_indices().nth(most)
    {
        text.truncate(cut);
        text.push('…');
        // The rest may be megabytes.
        text.shrink_to_fit();
    }
    text
}

pub const FAULTS_LISTED: usize = 100;

/// The faults of one request: the first [`FAULTS_LISTED`] of them, and how many there are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Faults {
    listed: Vec<FieldFault>,
    count: usize,
}

impl Faults {
    pub fn push(&mut self, fault: FieldFault) {
        self.count += 1;
        if self.listed.len() < FAULTS_LISTED {
            self.listed.push(fault);
        }
    }

    /// The text of a required field. If it is missing, that is a fault, and the text is empty.
    pub fn required_text(&mut self, field: &str, text: Option<String>) -> String {
        text.unwrap_or_else(|| {
            self.push(FieldFault::required(field));
            String::new()
        })
    }

    pub fn append(&mut self, others: Self) {
        let unlisted = others.count - others.listed.len();
        others.listed.into_iter().for_each(|fault| self.push(fault));
        self.count += unlisted;
    }

    /// How many there are, also those that are not listed.
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn into_listed(self) -> Vec<FieldFault> {
        self.listed
    }
}

impl Deref for Faults {
    type Target = [FieldFault];

    fn deref(&self) -> &[FieldFault] {
        &self.listed
    }
}

impl Extend<FieldFault> for Faults {
    fn extend<T: IntoIterator<Item = FieldFault>>(&mut self, faults: T) {
        faults.into_iter().for_each(|fault| self.push(fault));
    }
}

impl FromIterator<FieldFault> for Faults {
    fn from_iter<T: IntoIterator<Item = FieldFault>>(faults: T) -> Self {
        let mut all = Self::default();
        all.extend(faults);
        all
    }
}

impl From<FieldFault> for Faults {
    fn from(fault: FieldFault) -> Self {
        Self { listed: vec![fault], count: 1 }
    }
}

impl From<Vec<FieldFault>> for Faults {
    fn from(faults: Vec<FieldFault>) -> Self {
        faults.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(count: usize) -> Faults {
        (0..count).map(|at| FieldFault::required(format!("f[{at}]"))).collect()
    }

    #[test]
    fn a_required_text_that_is_missing_is_a_fault() {
        let mut faults = Faults::default();
        assert_eq!(faults.required_text("name", Some("Zo".to_owned())), "Zo");
        assert!(faults.is_empty());
        assert_eq!(faults.required_text("email", None), "");
        assert_eq!(*faults, [FieldFault::required("email")]);
    }

    #[test]
    fn a_hundred_faults_are_listed_and_all_are_counted() {
        assert_eq!((faults(100).len(), faults(100).count()), (100, 100));
        let (one_more, many) = (faults(101), faults(5_000));
        assert_eq!((one_more.len(), one_more.count()), (100, 101));
        assert_eq!((many.len(), many.count(), many[99].field.as_str()), (100, 5_000, "f[99]"));
    }

    #[test]
    fn faults_of_parts_are_collected() {
        let mut all = faults(60);
        all.append(faults(150));
        assert_eq!((all.len(), all.count()), (100, 210));
    }

    #[test]
    fn a_value_of_the_caller_is_quoted_up_to_a_length() {
        let of = |field: usize, message: usize| FieldFault::new("é".repeat(field), "é".repeat(message));
        let whole = of(FIELD_MAX, MESSAGE_MAX);
        assert_eq!((whole.field, whole.message), ("é".repeat(FIELD_MAX), "é".repeat(MESSAGE_MAX)));
        let cut = of(FIELD_MAX + 1, MESSAGE_MAX + 1);
        assert_eq!(cut.field, format!("{}…", "é".repeat(FIELD_MAX)));
        assert_eq!(cut.message, format!("{}…", "é".repeat(MESSAGE_MAX)));
    }
}
