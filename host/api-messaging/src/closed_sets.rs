//! Closed sets in the bodies and parameters of messages and numbers.

use api_core::closed_set;
use domain::{
    channel::Channel,
    content::ConversationEffect,
    conversation::ConversationState,
    event::{ChannelStatus, ConnectionStatus, Quality},
    inbox::{BillingModel, InboxKind, LiteHosting},
    lite::WantedSession,
    rate::CATEGORIES,
    send::{ComponentKind, HeaderFormat, SendKind, SendStatus},
};
use outbound::batches::PartOrigin;
use tenancy::inboxes::PROVIDER_CHANNELS;

closed_set! {
    /// `channel` of the unified endpoint.
    pub(crate) SendChannelName as "SendChannel" = [Channel::Whatsapp, Channel::Sms].map(Channel::as_str);
    /// `messageType` of a send. `NOTIFICATION`: an approved template. `CHAT`: a free-form message.
    pub(crate) SendMessageType as "SendMessageType" = [SendKind::Notification, SendKind::Chat].map(SendKind::as_str);
    /// `messageType` of a send of the conversation endpoint. `CONVERSATION`: free text into an active conversation.
    /// `NOTIFICATION`: an approved template.
    pub(crate) ConversationMessageType as "ConversationMessageType" =
        [SendKind::Conversation, SendKind::Notification].map(SendKind::as_str);
    /// `type` of a component.
    pub(crate) ComponentTypeName as "SendComponentType" = ComponentKind::ALL.map(ComponentKind::as_str);
    /// `format` of a header.
    pub(crate) HeaderFormatName as "SendHeaderFormat" = HeaderFormat::ALL.map(HeaderFormat::as_str);
    /// Whether the conversation stays open after a tap.
    pub(crate) TapEffectName as "SendConversationState" = ConversationEffect::ALL.map(ConversationEffect::as_str);
    /// `PARTIAL`: some or all recipients were rejected.
    pub(crate) SendStatusName as "SendStatus" = SendStatus::ALL.map(SendStatus::as_str);
    /// The kind of a message.
    pub(crate) MessageTypeName as "MessageType" = PartOrigin::ALL.map(PartOrigin::as_str);
    /// The state of a conversation.
    pub(crate) ConversationStateName as "ConversationState" = ConversationState::ALL.map(ConversationState::as_str);
    /// The category of a rate. `SERVICE`: free-form. `INCOMING`: messages of customers.
    pub(crate) RateCategoryName as "RateCategory" = CATEGORIES;
    /// The software behind a business number.
    pub(crate) ProviderName as "WhatsAppProvider" =
        [InboxKind::WhatsappCloud, InboxKind::WhatsappLite].map(InboxKind::as_str);
    /// The kind of an inbox.
    pub(crate) InboxKindName as "InboxKind" =
        [InboxKind::WhatsappCloud, InboxKind::WhatsappLite, InboxKind::Messenger, InboxKind::Telegram].map(InboxKind::as_str);
    /// The channel of an inbox.
    pub(crate) InboxChannelName as "InboxChannel" = PROVIDER_CHANNELS.map(Channel::as_str);
    /// The quality of a number.
    pub(crate) NumberRatingName as "NumberRating" =
        [Quality::Green, Quality::Yellow, Quality::Red].map(Quality::as_str);
    /// Whether a number can be used.
    pub(crate) NumberStatusName as "NumberStatus" = ChannelStatus::ALL.map(ChannelStatus::as_str);
    /// The host of a Lite number.
    pub(crate) HostingTypeName as "HostingType" = LiteHosting::ALL.map(LiteHosting::as_str);
    /// The billing model of a Lite number.
    pub(crate) BillingModelName as "LiteBillingModel" = BillingModel::ALL.map(BillingModel::as_str);
    /// The last request for a session.
    pub(crate) WantedSessionName as "WantedSession" = WantedSession::ALL.map(WantedSession::as_str);
    /// The state of a session.
    pub(crate) SessionStateName as "SessionState" = ConnectionStatus::ALL.map(ConnectionStatus::as_str);
}
