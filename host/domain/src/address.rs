use serde::{Deserialize, Serialize};

pub use crate::address_kind::AddressKind;
use crate::{
    channel_table::AddressForm,
    numbering,
    phone::{Bsuid, Msisdn},
};

/// An address of a customer. The only way to one is [`Address::parse`] or a value that was checked already.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "Parts", into = "Parts")]
pub struct Address {
    kind: AddressKind,
    value: String,
}

#[derive(Serialize, Deserialize)]
struct Parts {
    kind: AddressKind,
    value: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is not an address of the kind `{kind}`")]
pub struct AddressError {
    kind: String,
    value: String,
}

/// The end of hidden ids of WhatsApp.
pub const LID_SERVER: &str = "@lid";
/// Longest value of a kind that has no rule of its own.
const LONGEST: usize = 254;

impl Address {
    pub fn parse(kind: &str, value: &str) -> Result<Self, AddressError> {
        let known = AddressKind::ALL.into_iter().find(|known| known.as_str() == kind);
        known
            .and_then(|kind| Self::of_kind(kind, value))
            .ok_or_else(|| AddressError { kind: kind.to_owned(), value: value.to_owned() })
    }

    /// An address of a known kind; `None` when the value cannot be one.
    pub fn of_kind(kind: AddressKind, value: &str) -> Option<Self> {
        let printable = || !value.is_empty() && value.len() <= LONGEST && value.chars().all(|c| c.is_ascii_graphic());
        let fits = match kind.facts().form {
            AddressForm::Phone => return Msisdn::parse(value).ok().map(Self::from),
            AddressForm::Bsuid => return Bsuid::parse(value).ok().map(Self::from),
            AddressForm::Digits => printable() && value.bytes().all(|byte| byte.is_ascii_digit()),
            AddressForm::Word => printable(),
            AddressForm::Email => {
                printable() && value.split_once('@').is_some_and(|(local, host)| !local.is_empty() && !host.is_empty())
            }
            AddressForm::Lid => {
                let digits = value.strip_suffix(LID_SERVER).unwrap_or_default();
                printable() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
            }
        };
        fits.then(|| Self { kind, value: value.to_owned() })
    }

    pub fn kind(&self) -> AddressKind {
        self.kind
    }

    pub fn value(&self) -> &str {
        &self.value
    }

    /// The other spelling of a phone number that has two ([`numbering`]): an address of the same customer.
    pub fn other_spelling(&self) -> Option<Self> {
        let value = numbering::other_spelling(self.as_kind(AddressKind::Phone)?)?;
        Some(Self { kind: self.kind, value })
    }

    /// Whether both are one address, however a phone number is spelled.
    pub fn is_same(&self, other: &Self) -> bool {
        self == other || self.other_spelling().as_ref() == Some(other)
    }

    pub fn as_kind(&self, kind: AddressKind) -> Option<&str> {
        (self.kind == kind).then_some(self.value.as_str())
    }
}

/// Adds the other spellings ([`numbering`]); sorted, without repetitions. The unused spelling is the oldest.
pub fn with_spellings<'a>(addresses: impl IntoIterator<Item = &'a Address>) -> Vec<Address> {
    let both = |address: &Address| [Some(address.clone()), address.other_spelling()].into_iter().flatten();
    let mut named: Vec<Address> = addresses.into_iter().flat_map(both).collect();
    named.sort();
    named.dedup();
    named
}

impl From<Msisdn> for Address {
    fn from(phone: Msisdn) -> Self {
        Self { kind: AddressKind::Phone, value: phone.into() }
    }
}

impl From<Bsuid> for Address {
    fn from(bsuid: Bsuid) -> Self {
        Self { kind: AddressKind::Bsuid, value: bsuid.into() }
    }
}

impl TryFrom<Parts> for Address {
    type Error = AddressError;

    fn try_from(parts: Parts) -> Result<Self, Self::Error> {
        Self::parse(parts.kind.as_str(), &parts.value)
    }
}

impl From<Address> for Parts {
    fn from(address: Address) -> Self {
        Self { kind: address.kind, value: address.value }
    }
}

/// All addresses of one customer. They decide which is shown and written to (SPEC 1, 2.2): of each kind the one seen
/// last, and of the kinds the one that the inbox prefers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addresses {
    newest_first: Vec<Address>,
}

impl Addresses {
    pub fn newest_first(newest_first: Vec<Address>) -> Self {
        Self { newest_first }
    }

    pub fn shown(&self, kind: AddressKind) -> Option<&Address> {
        self.newest_first.iter().find(|address| address.kind == kind)
    }

    pub fn phone(&self) -> Option<&str> {
        self.shown(AddressKind::Phone).map(Address::value)
    }

    pub fn bsuid(&self) -> Option<&str> {
        self.shown(AddressKind::Bsuid).map(Address::value)
    }

    /// The id of a customer without a phone number: the BSUID, else the id on a page, a site or a Lite number.
    pub fn user_id(&self) -> Option<&str> {
        AddressKind::USER_IDS.into_iter().find_map(|kind| self.shown(kind)).map(Address::value)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Address> {
        self.newest_first.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{inbox::InboxKind, recipient::Recipient};

    fn address(kind: AddressKind, value: &str) -> Address {
        Address::of_kind(kind, value).unwrap()
    }

    #[test]
    fn every_kind_comes_back_as_it_was_stored() {
        let values = [
            "27820000001",
            "ZA.1349",
            "24071234567",
            "5512345678",
            "0199f7e4-visitor",
            "ann@example.org",
            "100000012345678@lid",
        ];
        assert_eq!(values.len(), AddressKind::ALL.len());
        for (kind, value) in AddressKind::ALL.into_iter().zip(values) {
            let there = address(kind, value);
            assert_eq!(Address::parse(there.kind().as_str(), there.value()), Ok(there.clone()));
            let json = serde_json::to_string(&there).unwrap();
            assert_eq!(serde_json::from_str::<Address>(&json).unwrap(), there);
        }
    }

    #[test]
    fn an_invalid_address_is_refused_and_named() {
        for (kind, value) in [
            ("PHONE", "0820000001"),
            ("BSUID", "nonsense"),
            ("PSID", "12a"),
            ("EMAIL", "@x"),
            ("LID", "1000"),
            ("LID", "@lid"),
            ("LID", "1:2@lid"),
            ("PIGEON", "7"),
        ] {
            let refused = Address::parse(kind, value).unwrap_err().to_string();
            assert!(refused.contains(kind) && refused.contains(value), "{refused}");
        }
    }

    #[test]
    fn a_phone_number_has_another_spelling_and_other_addresses_have_none() {
        let (with, without) =
            (address(AddressKind::Phone, "5511987654321"), address(AddressKind::Phone, "551187654321"));
        assert_eq!(with.other_spelling(), Some(without.clone()));
        assert!(with.is_same(&without) && with.is_same(&with));
        let psid = address(AddressKind::Psid, "5511987654321");
        assert_eq!(psid.other_spelling(), None);
        assert!(!psid.is_same(&with) && !psid.is_same(&without));
    }

    #[test]
    fn the_phone_number_wins_and_the_bsuid_is_kept_as_a_fallback() {
        let bsuid = address(AddressKind::Bsuid, "ZA.1349");
        let phone = address(AddressKind::Phone, "27820000001");
        let old = address(AddressKind::Phone, "27820000009");
        let all = Addresses::newest_first(vec![bsuid.clone(), phone.clone(), old]);
        assert_eq!(all.written_to(InboxKind::WhatsappCloud), Some(Recipient::new(phone.clone(), Some(bsuid))));
        assert_eq!(all.written_to(InboxKind::Sms), Some(Recipient::from(phone)));
        assert_eq!(all.written_to(InboxKind::Web), None);
    }
}
