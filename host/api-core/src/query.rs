//! Reads the parameters of a URL's query, by one rule.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr};

use axum::{extract::Query, http::Uri};
use chrono::{DateTime, Utc};
use domain::{
    body::{Faults, FieldFault},
    dates,
};

use crate::error::ApiError;

/// The parameters of a query, in the order given.
#[derive(Debug, Default)]
pub struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    /// Reads a query. A malformed one is refused, and so is a NUL character, which PostgreSQL cannot store.
    ///
    /// # Errors
    /// 400, naming the parameter.
    pub fn of(uri: &Uri) -> Result<Self, ApiError> {
        let Query(given) = Query::<Vec<(String, String)>>::try_from_uri(uri)
            .map_err(|_| ApiError::fault("query", "is not a URL query: name=value, joined by &"))?;
        match given.iter().find(|(name, value)| name.contains('\0') || value.contains('\0')) {
            Some((name, _)) => Err(ApiError::fault(name.replace('\0', ""), "contains a NUL character")),
            None => Ok(Self(given)),
        }
    }

    /// The names, in the order given.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// The first value of a name. An empty one counts as absent.
    pub fn value(&self, wanted: &str) -> Option<&str> {
        let found = self.0.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Reads a parameter as one of a closed set. `name` gives the name of a choice.
    ///
    /// # Errors
    /// The parameter, with the names of all choices. A typing error in a filter would look like an empty list.
    pub fn choice<T: Copy, N: AsRef<str>>(
        &self,
        wanted: &str,
        choices: impl IntoIterator<Item = T>,
        name: impl Fn(T) -> N,
    ) -> Result<Option<T>, FieldFault> {
        self.value(wanted).map(|text| choose(wanted, text, choices, name)).transpose()
    }

    /// Reads a parameter as `true` or `false`.
    ///
    /// # Errors
    /// The parameter, if it is another text.
    pub fn flag(&self, wanted: &str) -> Result<Option<bool>, FieldFault> {
        self.choice(wanted, [true, false], |flag| if flag { "true" } else { "false" })
    }

    /// Reads a parameter as a whole number of a range.
    ///
    /// # Errors
    /// The parameter, with the range.
    pub fn number<N: FromStr + PartialOrd + Display>(
        &self,
        wanted: &str,
        allowed: &RangeInclusive<N>,
    ) -> Result<Option<N>, FieldFault> {
        let Some(text) = self.value(wanted) else { return Ok(None) };
        let number = text.parse::<N>().ok().filter(|number| allowed.contains(number));
        let (least, most) = (allowed.start(), allowed.end());
        let fault = || FieldFault::new(wanted, format!("must be a whole number from {least} to {most}"));
        number.map(Some).ok_or_else(fault)
    }

    /// Parses a parameter as a time: ISO 8601, UTC if there is no offset (CONTRACT 7). The `+` of an offset may be
    /// unescaped.
    ///
    /// # Errors
    /// The parameter, if it is not a time.
    pub fn moment(&self, wanted: &str) -> Result<Option<DateTime<Utc>>, FieldFault> {
        let Some(text) = self.value(wanted).filter(|text| !text.trim().is_empty()) else { return Ok(None) };
        let fault = || FieldFault::new(wanted, "must be a time in ISO 8601, such as 2026-11-22T08:00:00Z");
        dates::in_query(text).map(Some).ok_or_else(fault)
    }

    /// Reads several times as [`Self::moment`] does. A wrong one is added to `faults` and counts as absent.
    pub fn moments<const N: usize>(&self, wanted: [&str; N], faults: &mut Faults) -> [Option<DateTime<Utc>>; N] {
        wanted.map(|name| {
            self.moment(name).unwrap_or_else(|fault| {
                faults.push(fault);
                None
            })
        })
    }
}

/// Finds a choice of a closed set by its name.
///
/// # Errors
/// The field, with the names of all choices.
pub fn choose<T: Copy, N: AsRef<str>>(
    field: &str,
    text: &str,
    choices: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> N,
) -> Result<T, FieldFault> {
    let mut names = Vec::new();
    for choice in choices {
        let known = name(choice);
        if known.as_ref() == text {
            return Ok(choice);
        }
        names.push(known);
    }
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    Err(FieldFault::new(field, format!("must be one of {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameters(query: &str) -> Result<QueryParameters, ApiError> {
        QueryParameters::of(&format!("/chats?{query}").parse().unwrap())
    }

    #[test]
    fn the_first_value_of_a_name_counts_and_an_empty_one_is_absent() {
        let given = parameters("a=1&a=2&b=&c=%C3%9F").unwrap();
        assert_eq!((given.value("a"), given.value("b"), given.value("c")), (Some("1"), None, Some("ß")));
        assert_eq!(given.value("d"), None);
    }

    #[test]
    fn a_moment_is_read_whether_its_plus_is_escaped_or_not() {
        let given =
            parameters("a=2026-01-31T10:15:00+02:00&b=2026-01-31T10:15:00%2B02:00&c=2026-01-31+08:15:00&d=soon&e=+")
                .unwrap();
        let eight = given.moment("b").unwrap();
        assert!(eight.is_some());
        assert_eq!((given.moment("a").unwrap(), given.moment("c").unwrap()), (eight, eight));
        assert_eq!((given.moment("e").unwrap(), given.moment("f").unwrap()), (None, None));
        assert_eq!(given.moment("d").unwrap_err().field, "d");
        let mut faults = Faults::default();
        assert_eq!(given.moments(["b", "d", "f"], &mut faults), [eight, None, None]);
        assert_eq!(faults.into_listed().into_iter().map(|fault| fault.field).collect::<Vec<_>>(), ["d"]);
    }

    #[test]
    fn a_choice_is_read_by_its_name_and_another_name_is_refused_with_all_names() {
        let given = parameters("a=two&b=Two&c=&d=true&e=false&f=1").unwrap();
        let choice = |wanted: &str| given.choice(wanted, [1, 2], |number| if number == 1 { "one" } else { "two" });
        assert_eq!((choice("a").unwrap(), choice("c").unwrap(), choice("g").unwrap()), (Some(2), None, None));
        assert_eq!(choice("b").unwrap_err(), FieldFault::new("b", "must be one of one, two"));
        assert_eq!((given.flag("d").unwrap(), given.flag("e").unwrap()), (Some(true), Some(false)));
        assert_eq!((given.flag("c").unwrap(), given.flag("g").unwrap()), (None, None));
        assert_eq!(given.flag("f").unwrap_err(), FieldFault::new("f", "must be one of true, false"));
    }

    #[test]
    fn a_number_is_read_within_its_range_and_another_is_refused_with_the_range() {
        let given = parameters("a=1&b=9&c=0&d=10&e=&f=two&g=-1").unwrap();
        let number = |wanted: &str| given.number(wanted, &(1..=9_u32));
        assert_eq!((number("a").unwrap(), number("b").unwrap()), (Some(1), Some(9)));
        assert_eq!((number("e").unwrap(), number("h").unwrap()), (None, None));
        for wrong in ["c", "d", "f", "g"] {
            assert_eq!(number(wrong).unwrap_err(), FieldFault::new(wrong, "must be a whole number from 1 to 9"));
        }
    }

    #[test]
    fn a_nul_character_is_refused_in_any_parameter() {
        for query in ["a=1&site=%00", "%00a=1", "a=x%00y"] {
            assert!(format!("{:?}", parameters(query).unwrap_err()).contains("NUL"), "{query}");
        }
    }
}
