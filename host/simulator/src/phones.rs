//! The phones: their registration on WhatsApp, their behaviour, and failures of sends to them.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::identity;

#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SimulatedPhone {
    pub(crate) msisdn: String,
    #[serde(rename = "onWhatsApp")]
    pub(crate) on_whatsapp: bool,
    pub(crate) name: String,
    pub(crate) username: Option<String>,
    pub(crate) user_id: String,
    /// The number of this phone on WhatsApp, if it differs from the dialled one (PROVIDERS A.4).
    pub(crate) wa_id: Option<String>,
    /// Callbacks have only the BSUID and no phone number.
    pub(crate) hide_phone: bool,
    pub(crate) auto_read: bool,
    pub(crate) auto_deliver: bool,
    /// Sends are accepted and then reported as failed with this code.
    pub(crate) fail_with: Option<u32>,
    pub(crate) reject_with: Option<Rejection>,
    /// Sends are carried out, but the answer is delayed by 60 seconds.
    pub(crate) timeout: bool,
    /// State in SMS receipts of this phone. It takes precedence over the faults.
    pub(crate) sms_state: Option<String>,
    pub(crate) typing: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Rejection {
    pub(crate) status: u16,
    pub(crate) code: u32,
    /// Number of sends to refuse. Unset means all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) times: Option<u32>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub(crate) struct PhonePatch {
    #[serde(rename = "onWhatsApp")]
    on_whatsapp: Option<bool>,
    name: Option<String>,
    #[serde(deserialize_with = "read_nullable")]
    username: Option<Option<String>>,
    #[serde(deserialize_with = "read_nullable")]
    user_id: Option<Option<String>>,
    #[serde(deserialize_with = "read_nullable")]
    wa_id: Option<Option<String>>,
    hide_phone: Option<bool>,
    auto_read: Option<bool>,
    auto_deliver: Option<bool>,
    #[serde(deserialize_with = "read_nullable")]
    fail_with: Option<Option<u32>>,
    #[serde(deserialize_with = "read_nullable")]
    reject_with: Option<Option<Rejection>>,
    times: Option<u32>,
    timeout: Option<bool>,
    #[serde(deserialize_with = "read_nullable")]
    sms_state: Option<Option<String>>,
}

/// Distinguishes `null` from an absent field.
fn read_nullable<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(deserializer).map(Some)
}

impl SimulatedPhone {
    fn new(msisdn: &str) -> Self {
        let (first_name, last_name) = identity::person_name(msisdn);
        Self {
            msisdn: msisdn.to_owned(),
            on_whatsapp: true,
            name: format!("{first_name} {last_name}"),
            username: None,
            user_id: identity::user_id(msisdn),
            wa_id: None,
            hide_phone: false,
            auto_read: false,
            auto_deliver: true,
            fail_with: None,
            reject_with: None,
            timeout: false,
            sms_state: None,
            typing: false,
        }
    }

    pub(crate) fn wa_id(&self) -> &str {
        self.wa_id.as_deref().unwrap_or(&self.msisdn)
    }

    pub(crate) fn failure(&self) -> Option<u32> {
        if self.on_whatsapp { self.fail_with } else { Some(131_026) }
    }

    pub(crate) fn take_rejection(&mut self) -> Option<Rejection> {
        let rejection = self.reject_with.as_mut()?;
        let taken = rejection.clone();
        if let Some(times) = rejection.times.as_mut() {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.reject_with = None;
            }
        }
        Some(taken)
    }

    fn apply(&mut self, patch: PhonePatch) {
        self.on_whatsapp = patch.on_whatsapp.unwrap_or(self.on_whatsapp);
        self.name = patch.name.unwrap_or_else(|| self.name.clone());
        self.hide_phone = patch.hide_phone.unwrap_or(self.hide_phone);
        self.auto_read = patch.auto_read.unwrap_or(self.auto_read);
        self.auto_deliver = patch.auto_deliver.unwrap_or(self.auto_deliver);
        self.timeout = patch.timeout.unwrap_or(self.timeout);
        if let Some(username) = patch.username {
            self.username = username;
        }
        if let Some(user_id) = patch.user_id {
            self.user_id = user_id.unwrap_or_else(|| identity::user_id(&self.msisdn));
        }
        if let Some(wa_id) = patch.wa_id {
            self.wa_id = wa_id;
        }
        if let Some(fail_with) = patch.fail_with {
            self.fail_with = fail_with;
        }
        if let Some(reject_with) = patch.reject_with {
            self.reject_with =
                reject_with.map(|rejection| Rejection { times: rejection.times.or(patch.times), ..rejection });
        }
        if let Some(sms_state) = patch.sms_state {
            self.sms_state = sms_state;
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Phones {
    by_msisdn: BTreeMap<String, SimulatedPhone>,
}

impl Phones {
    pub(crate) fn get(&mut self, msisdn: &str) -> &mut SimulatedPhone {
        self.by_msisdn.entry(msisdn.to_owned()).or_insert_with(|| SimulatedPhone::new(msisdn))
    }

    /// A phone as it is. An unknown one is not stored.
    pub(crate) fn view(&self, msisdn: &str) -> SimulatedPhone {
        self.by_msisdn.get(msisdn).cloned().unwrap_or_else(|| SimulatedPhone::new(msisdn))
    }

    pub(crate) fn by_user_id(&self, user_id: &str) -> Option<&SimulatedPhone> {
        self.by_msisdn.values().find(|phone| phone.user_id == user_id)
    }

    pub(crate) fn patch(&mut self, msisdn: &str, patch: PhonePatch) -> SimulatedPhone {
        let phone = self.get(msisdn);
        phone.apply(patch);
        phone.clone()
    }

    /// Moves a subscriber to a new number, which gets a new BSUID (PROVIDERS 0.1).
    pub(crate) fn renumber(&mut self, old: &str, new: &str) -> (SimulatedPhone, SimulatedPhone) {
        let before = self.get(old).clone();
        let after =
            SimulatedPhone { msisdn: new.to_owned(), user_id: identity::user_id(new), wa_id: None, ..before.clone() };
        self.get(old).on_whatsapp = false;
        self.by_msisdn.insert(new.to_owned(), after.clone());
        (before, after)
    }

    pub(crate) fn all(&self) -> Vec<SimulatedPhone> {
        self.by_msisdn.values().cloned().collect()
    }
}
