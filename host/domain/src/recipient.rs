//! The recipient of a message, and the key that keeps the messages to one recipient in order.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    address::{Address, Addresses},
    address_kind::AddressKind,
    ids::InboxId,
    inbox::InboxKind,
    phone::{Bsuid, BsuidError, Msisdn, PhoneError},
};

/// The recipient of a message: the address to write to, and another one for the case that the first fails.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Recipient {
    address: Address,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other: Option<Address>,
}

/// The fault of a recipient entry (SPEC 2.2). The text is the `reason` in the answer to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecipientFault {
    /// `to` is malformed. It takes precedence, so a valid BSUID in the same entry does not help.
    #[error("`to` {0}")]
    BadPhone(PhoneError),
    #[error("`customerUserId` {0}; such an id is ignored, so `to` is required")]
    BadBsuid(BsuidError),
    #[error("an entry needs `to` or `customerUserId`")]
    NoAddress,
}

impl Recipient {
    pub fn new(address: Address, other: Option<Address>) -> Self {
        Self { address, other }
    }

    /// Applies SPEC 2.2. `to` takes precedence and must be valid. A malformed BSUID with it is ignored.
    pub fn parse(to: Option<&str>, customer_user_id: Option<&str>) -> Result<Self, RecipientFault> {
        let to = to.filter(|text| !text.is_empty());
        let bsuid = customer_user_id.filter(|text| !text.is_empty()).map(Bsuid::parse);
        match (to, bsuid) {
            (Some(to), bsuid) => {
                let phone = Msisdn::parse(to).map_err(RecipientFault::BadPhone)?;
                Ok(Self::new(phone.into(), bsuid.and_then(Result::ok).map(Address::from)))
            }
            (None, Some(Ok(bsuid))) => Ok(Self::from(Address::from(bsuid))),
            (None, Some(Err(fault))) => Err(RecipientFault::BadBsuid(fault)),
            (None, None) => Err(RecipientFault::NoAddress),
        }
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The address to use if the first one fails.
    pub fn other(&self) -> Option<&Address> {
        self.other.as_ref()
    }

    pub fn phone(&self) -> Option<&str> {
        self.of_kind(AddressKind::Phone).map(Address::value)
    }

    pub fn bsuid(&self) -> Option<&str> {
        self.of_kind(AddressKind::Bsuid).map(Address::value)
    }

    pub fn of_kind(&self, kind: AddressKind) -> Option<&Address> {
        self.iter().find(|address| address.kind() == kind)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Address> {
        std::iter::once(&self.address).chain(&self.other)
    }
}

impl Addresses {
    pub fn written_to(&self, inbox: InboxKind) -> Option<Recipient> {
        let mut usable = inbox.writes_to().iter().filter_map(|kind| self.shown(*kind)).cloned();
        let first = usable.next()?;
        Some(Recipient::new(first, usable.next()))
    }
}

impl From<Address> for Recipient {
    fn from(address: Address) -> Self {
        Self::new(address, None)
    }
}

/// A key by which messages of an inbox to one [`Recipient::address`] are kept in order: the first eight bytes of a
/// SHA-256, the same on every node and in every version.
pub fn order_key(inbox: InboxId, address: &Address) -> i64 {
    let digest = Sha256::new().chain_update(inbox.0.as_bytes()).chain_update(address.value().as_bytes()).finalize();
    digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}
