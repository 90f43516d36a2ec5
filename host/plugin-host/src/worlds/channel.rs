//! The channel in the types of `wit/`.

use domain::channel::Channel as DomainChannel;

use crate::chatbot::Channel;

/// The channel as a plugin gets it. A later channel appears as `other`, with its name in the metadata (`wit/README.md`,
/// rule 3).
pub fn plugin_channel(channel: DomainChannel) -> Channel {
    match channel {
        DomainChannel::Whatsapp => Channel::Whatsapp,
        DomainChannel::Sms => Channel::Sms,
        DomainChannel::Web => Channel::Web,
        DomainChannel::Facebook => Channel::Messenger,
        DomainChannel::Telegram => Channel::Telegram,
    }
}
