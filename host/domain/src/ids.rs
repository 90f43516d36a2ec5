//! Identifiers. Each kind of id is a newtype of a UUIDv7, so the compiler rejects an id of another kind.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id!(
    /// A tenant. The first argument of almost every storage function.
    ClientId
);
id!(
    /// A person or program that acts for a client.
    UserId
);
id!(TeamId);
id!(
    /// A login with a session key.
    SessionId
);
id!(
    /// An address of a client that customers write to. For a WhatsApp number it is the `id` of the nested
    /// `whatsAppNumber` object (SPEC 2.12).
    InboxId
);
id!(
    /// One accepted send request (`batchId`, SPEC 2.5).
    BatchId
);
id!(
    /// The content that the recipients of one element of `messages` share.
    PartId
);
id!(
    /// One outbound message to one recipient; also its `gstId`.
    MessageId
);
id!(CustomerId);
id!(
    /// The chat of one customer with one inbox (`chatParticipantId`). It never changes.
    ParticipantId
);
id!(TicketId);
id!(
    /// An entry of a client's address book (SPEC 2.10).
    ContactId
);
id!(ChatMessageId);
id!(
    /// An internal note of a chat, or a note about a customer.
    NoteId
);
id!(CannedReplyId);
id!(ParticipantEventId);
id!(CallbackId);
id!(MediaId);
id!(WebhookConfigId);
id!(
    /// One URL of a webhook configuration.
    EndpointId
);
id!(
    /// One webhook event for one endpoint. Also the `webhook-id` header.
    DeliveryId
);
id!(
    /// One HTTP request, echoed as `X-Request-Id` and `requestId`.
    RequestId
);
id!(
    /// One process. It can own leases.
    NodeId
);
id!(
    /// A long-lived conversation (SPEC 2.11).
    ConversationId
);
id!(
    /// A customer in long-lived conversations: `participantId` of webhooks. Not a [`ParticipantId`].
    ConversationParticipantId
);
id!(
    /// A request to an SMS gateway: the `gstid` of the JSON gateway (SPEC 2.14).
    SmsRequestId
);
