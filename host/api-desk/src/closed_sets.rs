//! Closed sets in the bodies and parameters of live chat.

use api_core::closed_set;
use domain::{
    address::AddressKind,
    chat::{ChatScope, ContentType, Direction, Rating, TicketStatus},
    contact_attribute::AttributeType,
    content::MediaKind,
};
use tenancy::person::ErasureAction;

closed_set! {
    /// A list of chats.
    pub(crate) ScopeName as "ChatScope" = ChatScope::ALL.map(ChatScope::as_str);
    /// The direction of a message of a chat.
    pub(crate) DirectionName as "MessageDirection" = Direction::ALL.map(Direction::as_str);
    /// The content of a message of a chat.
    pub(crate) ContentTypeName as "ContentType" = ContentType::ALL.iter().map(|kind| kind.as_str());
    /// The type of a stored file.
    pub(crate) MediaTypeName as "ChatMediaType" = [
        MediaKind::Image,
        MediaKind::Document,
        MediaKind::Video,
        MediaKind::Audio,
        MediaKind::Voice,
    ]
    .map(|kind| ContentType::of_media(kind).as_str());
    /// The status of a ticket.
    pub(crate) TicketStatusName as "TicketStatus" = TicketStatus::ALL.map(TicketStatus::as_str);
    /// The status of a ticket, as the search takes it.
    pub(crate) SelectedStatus as "SelectedTicketStatus" =
        TicketStatus::ALL.map(|status| status.as_str().to_lowercase().replace('_', " "));
    /// The rating of a chat by the customer.
    pub(crate) TicketRating as "TicketRating" = Rating::ALL.map(|rating| rating.as_str().to_lowercase());
    /// The kind of an address.
    pub(crate) AddressKindName as "AddressKind" = AddressKind::ALL.map(AddressKind::as_str);
    /// The type of an attribute of contacts.
    pub(crate) AttributeTypeName as "ContactAttributeType" = AttributeType::NAMES;
    /// The treatment of erased rows.
    pub(crate) ErasureActionName as "ErasureAction" = ErasureAction::ALL.map(ErasureAction::as_str);
}
