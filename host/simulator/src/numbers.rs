//! The business numbers. Any phone-number id exists when it is first used.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::identity;

const DEFAULT_WABA: &str = "100000000000001";

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BusinessNumber {
    pub(crate) phone_number_id: String,
    pub(crate) waba_id: Option<String>,
    /// Digits only.
    pub(crate) number: String,
    pub(crate) verified_name: String,
    pub(crate) quality_rating: String,
    /// `CONNECTED`, `FLAGGED`, `RESTRICTED`, … (PROVIDERS A.10).
    pub(crate) status: String,
    pub(crate) messaging_limit: String,
    /// Messages per second before 130429.
    pub(crate) throughput: u32,
}

impl BusinessNumber {
    fn new(phone_number_id: &str) -> Self {
        Self {
            phone_number_id: phone_number_id.to_owned(),
            waba_id: None,
            number: format!("2710{}", identity::stable_digits(phone_number_id, 7)),
            verified_name: "Patchbay Sample Shop".to_owned(),
            quality_rating: "GREEN".to_owned(),
            status: "CONNECTED".to_owned(),
            // No limit by default. Tests can set one.
            messaging_limit: "TIER_UNLIMITED".to_owned(),
            throughput: 80,
        }
    }

    pub(crate) fn display(&self) -> String {
        let mut shown = String::from("+");
        for (position, digit) in self.number.chars().enumerate() {
            if matches!(position, 2 | 4 | 7) {
                shown.push(' ');
            }
            shown.push(digit);
        }
        shown
    }
}

#[derive(Debug, Default)]
pub(crate) struct Numbers {
    by_id: BTreeMap<String, BusinessNumber>,
    wabas: Vec<String>,
}

impl Numbers {
    pub(crate) fn get(&mut self, phone_number_id: &str) -> &mut BusinessNumber {
        self.by_id.entry(phone_number_id.to_owned()).or_insert_with(|| BusinessNumber::new(phone_number_id))
    }

    pub(crate) fn find(&self, number_or_id: &str) -> Option<&BusinessNumber> {
        let digits = identity::digits(number_or_id);
        self.by_id.get(number_or_id).or_else(|| self.by_id.values().find(|known| known.number == digits))
    }

    pub(crate) fn only(&self) -> Option<&BusinessNumber> {
        let mut all = self.by_id.values();
        all.next().filter(|_| all.next().is_none())
    }

    pub(crate) fn know_waba(&mut self, waba_id: &str) {
        if !self.wabas.iter().any(|known| known == waba_id) {
            self.wabas.push(waba_id.to_owned());
        }
    }

    pub(crate) fn knows_waba(&self, waba_id: &str) -> bool {
        self.wabas.iter().any(|known| known == waba_id)
    }

    pub(crate) fn waba_of(&mut self, phone_number_id: &str) -> String {
        let named = self.get(phone_number_id).waba_id.clone();
        let only = match self.wabas.as_slice() {
            [waba] => Some(waba.clone()),
            _ => None,
        };
        named.or(only).unwrap_or_else(|| DEFAULT_WABA.to_owned())
    }

    pub(crate) fn of_waba(&mut self, waba_id: &str) -> Vec<BusinessNumber> {
        let mut found = Vec::new();
        for number in self.all() {
            if self.waba_of(&number.phone_number_id) == waba_id {
                found.push(number);
            }
        }
        found
    }

    pub(crate) fn all(&self) -> Vec<BusinessNumber> {
        self.by_id.values().cloned().collect()
    }
}
