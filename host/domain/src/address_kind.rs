use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AddressKind {
    /// A phone number in E.164 digits.
    Phone,
    /// A business-scoped user id (SPEC 1).
    Bsuid,
    /// A page-scoped id of Messenger.
    Psid,
    /// A user of Telegram: the id of the private chat with a bot.
    Telegram,
    Visitor,
    Email,
    /// WhatsApp's id of a customer of a Lite number whose phone number it hides: `100000012345678@lid`.
    Lid,
}

impl AddressKind {
    pub const ALL: [Self; 7] =
        [Self::Phone, Self::Bsuid, Self::Psid, Self::Telegram, Self::Visitor, Self::Email, Self::Lid];
    /// Those that stand for a customer where no phone number does, as clients and agents see it.
    pub const USER_IDS: [Self; 5] = [Self::Bsuid, Self::Psid, Self::Telegram, Self::Visitor, Self::Lid];

    /// True if the address stays with a person for ever, whichever number the person has.
    pub fn is_for_life(self) -> bool {
        self.facts().is_for_life
    }

    pub fn as_str(self) -> &'static str {
        self.facts().name
    }
}
