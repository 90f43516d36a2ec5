//! Checks if a customer can be written to now. On some channels this depends on the customer's last message (SPEC 4.1,
//! PROVIDERS B).

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{
    channel_table::WindowRule,
    chat::{SESSION_WINDOW, chat_allowed},
    ids::ClientId,
    inbox::InboxKind,
    messenger::{self, WindowPermission},
};
use storage::{PgConnection, chat::participants::Participant, people::inbox_customers};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowWriter {
    Person,
    /// A plugin or Patchbay itself.
    Program,
}

/// Until when a chatbot can send messages that are not templates. `None` if the channel has no such limit.
///
/// `wrote`: time of the customer's last message, if the event has it.
pub(crate) async fn end_for_programs(
    db: &mut PgConnection,
    client: ClientId,
    (chat, kind): (&Participant, InboxKind),
    wrote: Option<DateTime<Utc>>,
) -> Result<Option<DateTime<Utc>>> {
    let rule = kind.facts().window;
    if rule == WindowRule::None {
        return Ok(None);
    }
    let wrote = match wrote {
        Some(wrote) => Some(wrote),
        None => inbox_customers::last_inbound(db, client, chat.inbox, chat.customer).await?,
    };
    Ok(end(rule, wrote))
}

/// `wrote`: time of the customer's last message.
fn end(rule: WindowRule, wrote: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    match rule {
        WindowRule::None => None,
        WindowRule::Day => Some(wrote.map_or(DateTime::UNIX_EPOCH, |wrote| wrote + SESSION_WINDOW)),
        // Messenger itself judges if the time is not known.
        WindowRule::DayAndWeek => wrote.map(|wrote| wrote + messenger::WINDOW),
    }
}

/// The reason why a free-form message cannot be sent in a chat now. `None` if it can.
pub(crate) async fn closed_reason(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    (chat, kind): (&Participant, InboxKind),
    by: WindowWriter,
) -> Result<Option<&'static str>> {
    if kind.facts().window == WindowRule::None {
        return Ok(None);
    }
    let wrote = inbox_customers::last_inbound(db, client, chat.inbox, chat.customer).await?;
    Ok(judge(kind, by, wrote, ctx.now()))
}

/// `wrote`: time of the customer's last message.
fn judge(kind: InboxKind, by: WindowWriter, wrote: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<&'static str> {
    match kind.facts().window {
        WindowRule::Day if !chat_allowed(wrote, now) => Some(
            "the customer last wrote more than 24 hours ago: until the customer writes again, only templates can be sent",
        ),
        WindowRule::DayAndWeek
            if messenger::permission(by == WindowWriter::Person, wrote, now) == WindowPermission::No =>
        {
            Some(match by {
                WindowWriter::Person => {
                    "the customer last wrote more than 7 days ago: Messenger takes nothing until the customer writes again"
                }
                WindowWriter::Program => {
                    "the customer last wrote more than 24 hours ago: Messenger takes only what a person writes, for 7 days"
                }
            })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    fn after(kind: InboxKind, by: WindowWriter, passed: TimeDelta) -> bool {
        judge(kind, by, Some(DateTime::UNIX_EPOCH), DateTime::UNIX_EPOCH + passed).is_none()
    }

    #[test]
    fn the_window_of_programs_ends_24_hours_after_the_customer_wrote() {
        let wrote = DateTime::UNIX_EPOCH + TimeDelta::days(3);
        assert_eq!(end(WindowRule::Day, Some(wrote)), Some(wrote + TimeDelta::hours(24)));
        assert_eq!(end(WindowRule::Day, None), Some(DateTime::UNIX_EPOCH), "it is closed");
        assert_eq!(end(WindowRule::DayAndWeek, Some(wrote)), Some(wrote + TimeDelta::hours(24)));
        assert_eq!(end(WindowRule::DayAndWeek, None), None);
        assert_eq!(end(WindowRule::None, Some(wrote)), None);
    }

    #[test]
    fn whatsapp_cloud_takes_answers_for_24_hours_and_messenger_those_of_people_for_seven_days() {
        let (day, week, moment) = (TimeDelta::hours(24), TimeDelta::days(7), TimeDelta::milliseconds(1));
        for by in [WindowWriter::Person, WindowWriter::Program] {
            assert!(after(InboxKind::WhatsappCloud, by, day - moment) && !after(InboxKind::WhatsappCloud, by, day));
            assert!(after(InboxKind::Messenger, by, day - moment));
            for kind in [InboxKind::Web, InboxKind::WhatsappLite] {
                assert!(after(kind, by, TimeDelta::days(1000)), "{kind:?}");
            }
        }
        assert!(!after(InboxKind::Messenger, WindowWriter::Program, day));
        assert!(after(InboxKind::Messenger, WindowWriter::Person, week - moment));
        assert!(!after(InboxKind::Messenger, WindowWriter::Person, week));
    }
}
