//! Prices of messages (SPEC 6.1, 6.2 `cost`), by category and country.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::body::{self, Faults, FieldFault};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate {
    /// The billing category: one of [`CATEGORIES`].
    pub category: String,
    /// A calling code, or the two letters of a country for recipients with a user id only. Empty: all other countries.
    pub country: String,
    /// A decimal number, shown unchanged.
    pub amount: String,
    pub currency: String,
}

pub const CATEGORIES: [&str; 6] = ["MARKETING", "UTILITY", "AUTHENTICATION", "SERVICE", "SMS", "INCOMING"];
/// All other countries, as clients write it.
pub const ELSEWHERE: &str = "*";
pub const RATES_MAX: usize = 2_000;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WireRate {
    pub category: Option<String>,
    /// Calling code, two letters, or `*`.
    pub country: Option<String>,
    pub amount: Option<String>,
    pub currency: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
pub struct WireRates {
    #[serde(default, deserialize_with = "body::objects")]
    pub rates: Option<Vec<WireRate>>,
}

impl WireRates {
    pub fn parse(bytes: &[u8]) -> Result<Vec<Rate>, Faults> {
        let card: Self = body::parse(bytes)?;
        let Some(rates) = card.rates else { return Err(FieldFault::required("rates").into()) };
        if rates.len() > RATES_MAX {
            return Err(FieldFault::new("rates", format!("has more than {RATES_MAX} elements")).into());
        }
        let (mut faults, mut seen, mut checked) = (Faults::default(), BTreeSet::new(), Vec::with_capacity(rates.len()));
        for (at, rate) in rates.into_iter().enumerate() {
            let Some(rate) = check(rate, &format!("rates[{at}]"), &mut faults) else { continue };
            if !seen.insert((rate.category.clone(), rate.country.clone())) {
                faults.push(FieldFault::new(format!("rates[{at}]"), "is a second rate of this category and country"));
            }
            checked.push(rate);
        }
        if faults.is_empty() { Ok(checked) } else { Err(faults) }
    }
}

fn check(rate: WireRate, field: &str, faults: &mut Faults) -> Option<Rate> {
    let mut take = |name: &str, value: Option<String>, fits: &dyn Fn(&str) -> bool, said: &str| {
        let value = value.filter(|value| fits(value));
        if value.is_none() {
            faults.push(FieldFault::new(format!("{field}.{name}"), said));
        }
        value
    };
    let category = take(
        "category",
        rate.category,
        &|text| CATEGORIES.contains(&text),
        &format!("must be one of {}", CATEGORIES.join(", ")),
    );
    let country = take(
        "country",
        rate.country,
        &is_country,
        "must be a calling code such as 27, two capital letters such as ZA for user ids, or *",
    );
    let amount = take("amount", rate.amount, &is_amount, "must be a decimal number such as 0.0379, as text");
    let currency = take(
        "currency",
        rate.currency,
        &|text| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase()),
        "must be three capital letters such as USD",
    );
    let country = country?;
    let country = if country == ELSEWHERE { String::new() } else { country };
    Some(Rate { category: category?, country, amount: amount?, currency: currency? })
}

fn is_country(text: &str) -> bool {
    let code =
        (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    let letters = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
    code || letters || text == ELSEWHERE
}

/// Up to nine digits, optionally followed by a point and up to six digits.
fn is_amount(text: &str) -> bool {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str, most| (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole, 9) && digits(part, 6)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(rates: &str) -> Result<Vec<Rate>, Vec<String>> {
        let faults = |faults: Faults| faults.into_listed().into_iter().map(|fault| fault.field).collect();
        WireRates::parse(format!("{{\"rates\":{rates}}}").as_bytes()).map_err(faults)
    }

    #[test]
    fn a_rate_names_category_country_amount_and_currency() {
        let parsed = parse(r#"[{"category":"SMS","country":"*","amount":"0.02","currency":"ZAR"}]"#).unwrap();
        let rate = Rate {
            category: "SMS".to_owned(),
            country: String::new(),
            amount: "0.02".to_owned(),
            currency: "ZAR".to_owned(),
        };
        assert_eq!(parsed, [rate]);
        assert_eq!(parse("[]"), Ok(Vec::new()), "an empty card is one: nothing has a cost");
    }

    #[test]
    fn every_wrong_field_of_a_rate_is_named() {
        let wrong = r#"[{"category":"FUN","country":"027","amount":"1,5","currency":"usd"}, {}]"#;
        let fields = ["category", "country", "amount", "currency"];
        let expected: Vec<String> = (0..2).flat_map(|at| fields.map(|field| format!("rates[{at}].{field}"))).collect();
        assert_eq!(parse(wrong), Err(expected));
    }

    #[test]
    fn an_unknown_category_is_refused_with_all_known_ones() {
        let wrong = WireRates::parse(br#"{"rates":[{"category":"FUN"}]}"#).unwrap_err();
        let said = &wrong.first().unwrap().message;
        assert!(CATEGORIES.iter().all(|category| said.contains(category)), "{said}");
    }

    #[test]
    fn two_rates_of_one_kind_are_refused() {
        let rate = r#"{"category":"SMS","country":"27","amount":"1","currency":"ZAR"}"#;
        assert_eq!(parse(&format!("[{rate},{rate}]")), Err(vec!["rates[1]".to_owned()]));
    }

    #[test]
    fn amounts_are_decimal_numbers_of_a_few_digits() {
        for good in ["0", "12", "0.0379", "999999999.999999"] {
            assert!(is_amount(good), "{good}");
        }
        for bad in ["", ".5", "1.", "-1", "1e3", "1.2.3", "0.0000001", "1234567890"] {
            assert!(!is_amount(bad), "{bad}");
        }
    }
}
