//! Checks if a customer can be written to now. On some channels this depends on the customer's last message (SPEC 4.1,
//! PROVIDERS B).

use base::{Context, Result};
use chrono::{DateTime, Utc};
use domain::{channel_table::WindowRule, chat, ids::ClientId, inbox::InboxKind, messenger};
use storage::{PgConnection, chat::participants::Participant, people::inbox_customers};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowWriter {
    Person,
    /// A plugin or Patchbay itself.
    Program,
}

/// The window of a chat with an inbox of this kind.
#[derive(Clone, Copy)]
pub(crate) struct ChatWindow<'a> {
    pub(crate) chat: &'a Participant,
    pub(crate) kind: InboxKind,
}

impl ChatWindow<'_> {
    /// Until when a chatbot can send messages that are not templates. `None` if the channel has no such limit.
    ///
    /// `wrote`: time of the customer's last message, if the event has it.
    pub(crate) async fn end_for_programs(
        self,
        db: &mut PgConnection,
        client: ClientId,
        wrote: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>> {
        let rule = self.kind.facts().window;
        if rule == WindowRule::None {
            return Ok(None);
        }
        let wrote = match wrote {
            Some(wrote) => Some(wrote),
            None => inbox_customers::last_inbound(db, client, self.chat.inbox, self.chat.customer).await?,
        };
        Ok(end(rule, WindowWriter::Program, wrote))
    }

    /// The reason why a free-form message cannot be sent in the chat now. `None` if it can.
    pub(crate) async fn closed_reason(
        self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        by: WindowWriter,
    ) -> Result<Option<&'static str>> {
        if self.kind.facts().window == WindowRule::None {
            return Ok(None);
        }
        let wrote = inbox_customers::last_inbound(db, client, self.chat.inbox, self.chat.customer).await?;
        Ok(judge(self.kind, by, wrote, ctx.now()))
    }
}

/// The time from which a writer can send no free-form messages. `None`: no such time is known. `wrote`: time of the customer's
/// last message.
fn end(rule: WindowRule, by: WindowWriter, wrote: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    match rule {
        WindowRule::None => None,
        WindowRule::Day => Some(chat::window_end(wrote).unwrap_or(DateTime::UNIX_EPOCH)),
        // Messenger itself judges if the time is not known.
        WindowRule::DayAndWeek => Some(messenger::window_end(by == WindowWriter::Person, wrote?)),
    }
}

/// `wrote`: time of the customer's last message.
fn judge(kind: InboxKind, by: WindowWriter, wrote: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Option<&'static str> {
    let rule = kind.facts().window;
    if end(rule, by, wrote).is_none_or(|end| now < end) {
        return None;
    }
    match (rule, by) {
        (WindowRule::None, _) => None,
        (WindowRule::Day, _) => Some(
            "the customer last wrote more than 24 hours ago: until the customer writes again, only templates can be sent",
        ),
        (WindowRule::DayAndWeek, WindowWriter::Person) => Some(
            "the customer last wrote more than 7 days ago: Messenger takes nothing until the customer writes again",
        ),
        (WindowRule::DayAndWeek, WindowWriter::Program) => Some(
            "the customer last wrote more than 24 hours ago: Messenger takes only what a person writes, for 7 days",
        ),
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
    fn a_window_ends_24_hours_after_the_customer_wrote_and_that_of_people_on_messenger_after_seven_days() {
        let wrote = DateTime::UNIX_EPOCH + TimeDelta::days(3);
        let (day, week) = (Some(wrote + TimeDelta::hours(24)), Some(wrote + TimeDelta::days(7)));
        for by in [WindowWriter::Person, WindowWriter::Program] {
            assert_eq!(end(WindowRule::Day, by, Some(wrote)), day);
            assert_eq!(end(WindowRule::Day, by, None), Some(DateTime::UNIX_EPOCH), "it is closed");
            assert_eq!(end(WindowRule::DayAndWeek, by, None), None);
            assert_eq!(end(WindowRule::None, by, Some(wrote)), None);
        }
        assert_eq!(end(WindowRule::DayAndWeek, WindowWriter::Program, Some(wrote)), day);
        assert_eq!(end(WindowRule::DayAndWeek, WindowWriter::Person, Some(wrote)), week);
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
