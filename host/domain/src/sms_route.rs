//! The route of an SMS: the decisions of routers, and the choice of a bind if no router chose one.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouterStep {
    pub plugin: String,
    /// `None` for a built-in plugin and for the operator's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Hash of the component. `None` in the same cases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// True for the operator's router, which is called last.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub operator: bool,
    /// The reason of its decision or of its failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
}

/// The decision of the routers about one SMS. An absent field changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SmsRoute {
    pub by: Vec<RouterStep>,
    pub at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bind: Option<String>,
    /// The sender that the subscriber sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// `priority_flag`, 0 to 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<u8>,
    /// The time for which the SMSC tries to deliver, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub validity_seconds: Option<u32>,
    /// The text that replaces the original. It is deleted together with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

impl SmsRoute {
    /// `REFUSED`, `CHANGED` or `AS_IS`.
    pub fn outcome(&self) -> &'static str {
        let Self { bind, source, priority, validity_seconds, text, refused, by: _, at: _ } = self;
        let changes = bind.is_some() || source.is_some() || priority.is_some() || validity_seconds.is_some();
        match refused {
            Some(_) => "REFUSED",
            None if changes || text.is_some() => "CHANGED",
            None => "AS_IS",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenBind<'a> {
    pub prefixes: &'a [String],
    pub used: usize,
    pub window: usize,
}

impl OpenBind<'_> {
    /// Length of the longest prefix that matches the number. `None` if the bind serves other numbers.
    fn fit(&self, destination: &str) -> Option<usize> {
        let longest = self.prefixes.iter().filter(|prefix| destination.starts_with(prefix.as_str())).map(String::len);
        if self.prefixes.is_empty() { Some(0) } else { longest.max() }
    }
}

/// The binds with the longest matching prefix, in their order. If no prefix matches, all binds.
pub fn binds_for(binds: &[OpenBind<'_>], destination: &str) -> Vec<usize> {
    let fits: Vec<Option<usize>> = binds.iter().map(|bind| bind.fit(destination)).collect();
    let best = fits.iter().copied().max().flatten();
    (0..binds.len()).filter(|place| fits.get(*place).copied().flatten() == best).collect()
}

pub fn least_loaded(binds: &[OpenBind<'_>], among: &[usize]) -> Option<usize> {
    // Compares `used / window` without a division.
    let load = |place: usize| binds.get(place).map_or((1, 1), |bind| (bind.used as u128, bind.window.max(1) as u128));
    among.iter().copied().min_by(|one, other| {
        let ((used, window), (other_used, other_window)) = (load(*one), load(*other));
        (used * other_window).cmp(&(other_used * window))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(binds: &[(&[&str], usize, usize)], destination: &str) -> Option<usize> {
        let prefixes: Vec<Vec<String>> =
            binds.iter().map(|(prefixes, _, _)| prefixes.iter().map(|prefix| (*prefix).to_owned()).collect()).collect();
        let binds: Vec<OpenBind<'_>> = binds
            .iter()
            .zip(&prefixes)
            .map(|((_, used, window), prefixes)| OpenBind { prefixes, used: *used, window: *window })
            .collect();
        least_loaded(&binds, &binds_for(&binds, destination))
    }

    #[test]
    fn the_bind_with_the_longest_prefix_of_the_number_is_taken() {
        let binds: [(&[&str], usize, usize); 4] =
            [(&[], 0, 10), (&["27", "264"], 5, 10), (&["2782"], 9, 10), (&["44"], 0, 10)];
        assert_eq!(choose(&binds, "27821234567"), Some(2), "however loaded it is");
        assert_eq!(choose(&binds, "27831234567"), Some(1));
        assert_eq!(choose(&binds, "264811234567"), Some(1));
        assert_eq!(choose(&binds, "12025550100"), Some(0), "one without prefixes is for every number");
    }

    #[test]
    fn the_least_loaded_of_several_binds_with_the_same_prefix_is_taken() {
        assert_eq!(choose(&[(&["27"], 3, 10), (&["27"], 4, 20), (&["27"], 9, 10)], "27821234567"), Some(1));
        assert_eq!(choose(&[(&[], 2, 10), (&[], 2, 10)], "27821234567"), Some(0), "the first of two alike");
    }

    #[test]
    fn a_number_that_fits_no_prefix_goes_over_any_bind() {
        assert_eq!(choose(&[(&["27"], 1, 10), (&["264"], 0, 10)], "12025550100"), Some(1));
        assert_eq!(choose(&[], "12025550100"), None);
    }

    #[test]
    fn a_route_has_one_word_for_its_effect() {
        let route = SmsRoute::default();
        assert_eq!(route.outcome(), "AS_IS");
        assert_eq!(SmsRoute { priority: Some(0), ..route.clone() }.outcome(), "CHANGED");
        assert_eq!(SmsRoute { refused: Some("no".into()), ..route }.outcome(), "REFUSED");
    }
}
