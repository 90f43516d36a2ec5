use domain::address::Address;

#[derive(Debug, Clone, Copy)]
pub struct PresenceSignal<'a> {
    pub to: &'a Address,
    /// Provider's id of the customer's last message. It and all earlier messages were read.
    pub last_message: Option<&'a str>,
    /// True if an agent is typing; otherwise only read marks.
    pub typing: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PresenceRefused {
    /// The channel has no such signal.
    #[error("this channel cannot show that")]
    NoSuchThing,
    /// The customer has written no message that could be marked as read.
    #[error("the customer has not written a message yet that can be marked as read")]
    NothingToRead,
    #[error("the provider did not accept it: {0}")]
    Failed(String),
}
