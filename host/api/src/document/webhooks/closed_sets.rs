//! Closed sets in the bodies of webhooks.

use api_core::closed_set;
use domain::{
    channel::Channel,
    chat::{Direction, MessageContentType, ParticipantState},
    delivery::DeliveryState,
    event::{ChannelStatus, ConnectionStatus, Quality, TemplateApproval, TemplateElement},
    sms_products::GatewayStatus,
    webhook::WebhookType,
};

closed_set! {
    /// The content of a message of a customer.
    pub(super) IncomingContent as "IncomingContent" = MessageContentType::ALL.iter().map(|kind| kind.as_str());
    /// The new state of a message. `QUEUED` is not reported.
    pub(super) ReportedState as "ReportedState" =
        DeliveryState::ALL.into_iter().filter(|state| *state != DeliveryState::Queued).map(DeliveryState::as_str);
    /// Present if a report is about an SMS.
    pub(super) SmsReport as "SmsReport" = [Channel::Sms.as_str()];
    /// The kind of state of a session.
    pub(super) SessionStatusType as "SessionStatusType" = ConnectionStatus::ALL.map(ConnectionStatus::as_str);
    /// The quality of a number or a template.
    pub(super) QualityName as "Quality" = Quality::ALL.map(Quality::as_str);
    /// Whether a number can be used.
    pub(super) ChannelStatusName as "ChannelStatus" = ChannelStatus::ALL.map(ChannelStatus::as_str);
    /// Whether a template can be sent.
    pub(super) TemplateApprovalName as "TemplateApproval" = TemplateApproval::ALL.map(TemplateApproval::as_str);
    /// A part of a template.
    pub(super) TemplateElementName as "TemplateElement" = TemplateElement::ALL.map(TemplateElement::as_str);
    /// The webhooks of a configuration.
    pub(super) DisabledWebhook as "WebhookType" = WebhookType::ALL.map(WebhookType::as_str);
    /// The direction of a message.
    pub(super) EventDirection as "EventDirection" = Direction::ALL.map(Direction::as_str);
    /// The status of a chat. `ACTIVE`: it is not closed.
    pub(super) ChatStatusName as "ConversationStatus" =
        [ParticipantState::Active, ParticipantState::Closed].map(|state| state.flags().conversation_status);
    /// The state of an SMS: `500` sent, `501` queued at the network, `600` delivered, `620` failed.
    pub(super) ReceiptCode as "SmsReceiptCode" = [
        GatewayStatus::Sent,
        GatewayStatus::QueuedAtMno,
        GatewayStatus::Delivered,
        GatewayStatus::Failed,
    ]
    .map(GatewayStatus::code);
}
