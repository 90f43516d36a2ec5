//! The queues, one row each.

use super::lane_gate::LaneGate;
use crate::inboxes::gates;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// Outbound messages; a lane is an inbox.
    Outbound,
    /// Provider callbacks; a lane is an inbox, or the client for events of an account.
    Callback,
    /// Events for chatbots; a lane is a participant.
    Participant,
    /// Fallback decisions; a lane is the inbox of the leg that failed.
    Fallback,
    /// Files to download; a lane is the inbox whose credentials download them.
    Media,
    /// Webhook deliveries; a lane is an endpoint.
    Webhook,
    /// Due work of chats; a lane is a participant.
    Chat,
    /// Sessions of Lite numbers; a lane is an inbox, held for as long as its session is wanted (ADR 0024).
    LiteSession,
    /// Callbacks of the JSON SMS gateway; a lane is a receiver.
    SmsCallback,
    /// Mails to the relay; a lane is a client.
    Email,
    /// Accounts that are polled; a lane is an inbox, held as long as it is polled (ADR 0051).
    Account,
    /// HTTP requests that chatbots started; a lane is a request (ADR 0062).
    PluginRequest,
    /// Templates that chatbots send later; a lane is a template (ADR 0062).
    ScheduledTemplate,
}

pub(super) struct QueueFacts {
    /// The name stored with a lease and shown in logs and metrics.
    pub(super) name: &'static str,
    pub(super) table: &'static str,
    /// The condition of rows that wait for work.
    pub(super) open: &'static str,
    /// The column by which waiting rows are found when their time has come.
    pub(super) wakes_by: &'static str,
    /// The conditions that close a lane for all its rows.
    pub(super) gates: &'static [LaneGate],
}

/// A queue without gates whose waiting rows are found by `due_at`.
const fn plain(name: &'static str, table: &'static str, open: &'static str) -> QueueFacts {
    QueueFacts { name, table, open, wakes_by: "due_at", gates: &[] }
}

impl Queue {
    pub const ALL: [Queue; 13] = [
        Self::Outbound,
        Self::Callback,
        Self::Participant,
        Self::Fallback,
        Self::Media,
        Self::Webhook,
        Self::Chat,
        Self::LiteSession,
        Self::SmsCallback,
        Self::Email,
        Self::Account,
        Self::PluginRequest,
        Self::ScheduledTemplate,
    ];

    pub fn name(self) -> &'static str {
        self.facts().name
    }

    pub(super) const fn facts(self) -> QueueFacts {
        match self {
            // A mark moves `due_at` of a leg that stays ready, so legs have a column that only waiting rows have.
            Self::Outbound => QueueFacts {
                wakes_by: "wakes_at",
                gates: gates::SENDING_GATES,
                ..plain("outbound", "outbound_work", "true")
            },
            Self::Callback => plain("callback", "callback", "failure IS NULL"),
            Self::Participant => plain("participant", "participant_event", "true"),
            Self::Fallback => plain("fallback", "fallback", "state = 'PENDING'"),
            Self::Media => plain("media", "media", "state = 'PENDING'"),
            Self::Webhook => plain("webhook", "webhook_delivery", "state = 'PENDING'"),
            Self::Chat => plain("chat", "chat_due", "true"),
            Self::LiteSession => plain("lite_session", "lite_session", "state = 'PENDING'"),
            Self::SmsCallback => plain("sms_callback", "sms_callback", "true"),
            Self::Email => plain("email", "email_out", "true"),
            Self::Account => plain("account", "account_link", "state = 'PENDING'"),
            Self::PluginRequest => plain("plugin_request", "plugin_request", "true"),
            Self::ScheduledTemplate => plain("scheduled_template", "scheduled_template", "true"),
        }
    }

    /// False: it stores input of providers, which goes on while its client is disabled.
    pub const fn waits_while_disabled(self) -> bool {
        !matches!(self, Self::Callback | Self::Media | Self::LiteSession | Self::Account)
    }

    /// Returns the condition that the operator has disabled neither the client of a lane nor, for sends, its inbox. The
    /// arguments are expressions of SQL.
    pub(super) fn enabled_condition(self, client: &str, lane: &str) -> String {
        let of_client = match self.waits_while_disabled() {
            true => is_null_condition(client, "disabled_at"),
            false => kept_condition(client),
        };
        match self {
            Self::Outbound => format!(
                "{of_client} AND NOT EXISTS (SELECT 1 FROM inbox one WHERE one.client_id = {client} AND one.id = {lane}
                                                                       AND one.disabled_at IS NOT NULL)"
            ),
            _ => of_client,
        }
    }

    /// Counts the waiting rows of a client.
    pub(crate) fn count_statement(self) -> String {
        let QueueFacts { table, open, .. } = self.facts();
        format!("SELECT count(*) FROM {table} WHERE client_id = $1 AND {open}")
    }

    /// Returns the columns by which the index of ready rows orders the rows of one lane.
    pub(super) fn order_in_lane(self) -> &'static str {
        match self {
            Self::Outbound => "priority, message_id",
            Self::Callback => "id",
            Self::Fallback | Self::Media => "due_at",
            Self::Webhook | Self::SmsCallback | Self::Email => "due_at, id",
            Self::Participant
            | Self::Chat
            | Self::LiteSession
            | Self::Account
            | Self::PluginRequest
            | Self::ScheduledTemplate => "lane_id",
        }
    }
}

/// Returns the condition that the removal of a client has not begun. The argument is an expression of SQL.
pub(super) fn kept_condition(client: &str) -> String {
    is_null_condition(client, "removal_begun_at")
}

fn is_null_condition(client: &str, column: &str) -> String {
    format!("NOT EXISTS (SELECT 1 FROM client one WHERE one.id = {client} AND one.{column} IS NOT NULL)")
}
