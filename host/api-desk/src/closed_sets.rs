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
    pub(crate) SelectedStatus as "SelectedTicketStatus" = TicketStatus::ALL.map(searched_status);
    /// The rating of a chat by the customer.
    pub(crate) TicketRating as "TicketRating" = Rating::ALL.map(searched_rating);
    /// The kind of an address.
    pub(crate) AddressKindName as "AddressKind" = AddressKind::ALL.map(AddressKind::as_str);
    /// The type of an attribute of contacts.
    pub(crate) AttributeTypeName as "ContactAttributeType" = AttributeType::NAMES;
    /// The treatment of erased rows.
    pub(crate) ErasureActionName as "ErasureAction" = ErasureAction::ALL.map(ErasureAction::as_str);
}

/// The name of a status in the search of tickets.
pub(crate) fn searched_status(status: TicketStatus) -> String {
    status.as_str().to_lowercase().replace('_', " ")
}

/// The name of a rating in the search of tickets.
pub(crate) fn searched_rating(rating: Rating) -> String {
    rating.as_str().to_lowercase()
}
