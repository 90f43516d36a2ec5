//! The recipient of a message, and the key that keeps the messages of one conversation in order.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    address::{Address, AddressKind},
    ids::InboxId,
    phone::{Bsuid, BsuidError, Msisdn, PhoneError},
};

/// The recipient of a message: the address that is written to, and another one for the case that it fails.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Recipient {
    address: Address,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    other: Option<Address>,
}

/// Why a recipient entry cannot be sent to (SPEC 2.2). The text is the `reason` that the client reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RecipientFault {
    /// `to` is present and malformed. It takes precedence, so a BSUID does not help.
    #[error("`to` {0}")]
    BadPhone(PhoneError),
    /// Only `customerUserId` is there, and it is malformed: it is ignored, so nothing is left.
    #[error("`customerUserId` {0}; such an id is ignored, so `to` is required")]
    BadBsuid(BsuidError),
    /// Neither is there.
    #[error("an entry needs `to` or `customerUserId`")]
    NoAddress,
}

impl Recipient {
    /// From an address and another one, if there is one.
    pub fn new(address: Address, other: Option<Address>) -> Self {
        Self { address, other }
    }

    /// Applies SPEC 2.2: `to` takes precedence and must be correct, a BSUID with it is kept, a malformed BSUID is
    /// ignored. An empty string counts as absent.
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

    /// The address that is written to.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The address that is kept should the first one fail.
    pub fn other(&self) -> Option<&Address> {
        self.other.as_ref()
    }

    /// The phone number in digits, when known.
    pub fn phone(&self) -> Option<&str> {
        self.of_kind(AddressKind::Phone).map(Address::value)
    }

    /// The BSUID, when known.
    pub fn bsuid(&self) -> Option<&str> {
        self.of_kind(AddressKind::Bsuid).map(Address::value)
    }

    /// The address of a kind, when known.
    pub fn of_kind(&self, kind: AddressKind) -> Option<&Address> {
        self.iter().find(|address| address.kind() == kind)
    }

    /// Its addresses, the one that is written to first.
    pub fn iter(&self) -> impl Iterator<Item = &Address> {
        std::iter::once(&self.address).chain(&self.other)
    }
}

impl From<Address> for Recipient {
    fn from(address: Address) -> Self {
        Self::new(address, None)
    }
}

/// The key that keeps the messages of one conversation in order: equal for the same inbox and [`Recipient::address`],
/// evenly spread otherwise. It is the first eight bytes of a SHA-256, so it is equal on every node and in every
/// version. Values of different kinds cannot be confused within one inbox, because only a BSUID has a dot.
pub fn order_key(inbox: InboxId, address: &Address) -> i64 {
    let digest = Sha256::new().chain_update(inbox.0.as_bytes()).chain_update(address.value().as_bytes()).finalize();
    digest.iter().take(8).fold(0_i64, |key, byte| (key << 8) | i64::from(*byte))
}
