//! What a customer sees of whoever answers, beside messages: that they were read, and that somebody is writing.

use domain::address::Address;

/// What is to be shown.
#[derive(Debug, Clone, Copy)]
pub struct Presence<'a> {
    /// To whom.
    pub to: &'a Address,
    /// Provider's id of the last message that the customer wrote; it and all before it have been read.
    pub last_message: Option<&'a str>,
    /// Somebody is writing; else only that the messages were read.
    pub typing: bool,
}

/// Why the customer does not see it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotShown {
    /// The channel has no such thing.
    #[error("this channel shows nothing of the kind")]
    NoSuchThing,
    /// The customer has written nothing that could be read.
    #[error("the customer has written nothing yet that could be marked as read")]
    NothingToRead,
    /// The provider did not take it.
    #[error("the provider did not take it: {0}")]
    Failed(String),
}
