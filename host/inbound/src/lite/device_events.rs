//! Stores the events of a device in one transaction: the session, its changes, and messages of customers.

use base::{Context, Queue, Result, lanes::Lease};
use channels::whatsapp_lite::{DeviceEvent, LiteNumber};
use chrono::TimeDelta;
use domain::{
    address::Address,
    change::{ChangeKind, MessageChange},
    event::{Event, SessionChanged},
    inbound::{
        CallbackBody, CallbackItem, CallbackTarget, Echo, IgnoredItem, InboundMessage, StatusUpdate, UnreadableItem,
    },
    inbox::InboxKind,
    lite::SessionNews,
    recipient::order_key,
};
use events::{NewEvent, record};
use storage::inboxes::lite::{LiteSession, NextCheck, SessionWrite};

use crate::callbacks::{scope_lite_ids, take_of_inbox};

fn sent_by_us() -> IgnoredItem {
    IgnoredItem { provider: InboxKind::WhatsappLite, kind: "event".to_owned(), name: "sent by us".to_owned() }
}

#[derive(Debug, Default)]
pub(super) struct DeviceEffect {
    changes: Vec<SessionChanged>,
    items: Vec<CallbackItem>,
    pub(super) ended_by: Option<SessionNews>,
}

impl DeviceEffect {
    pub(super) fn news(&mut self, session: &mut LiteSession, news: SessionNews) {
        self.changes.extend(session.state.take(news));
        if news.unpairs() {
            session.paired = false;
        }
        match news {
            SessionNews::Synced => {
                (session.paired, session.qr, session.banned_until) = (true, None, None);
                self.ended_by = None;
            }
            SessionNews::Paired => (session.paired, session.qr) = (true, None),
            _ => {}
        }
        if news.status() == Some(domain::event::ConnectionStatus::Disconnected) {
            session.qr = None;
            self.ended_by = Some(news);
        }
    }

    pub(super) fn messages(number: &LiteNumber, events: Vec<DeviceEvent>) -> Vec<CallbackItem> {
        let mut told = Self::default();
        for event in events {
            match event {
                DeviceEvent::Came(message) => told.came(number, message),
                DeviceEvent::Moved(status) => told.add_status(number, status),
                DeviceEvent::Unreadable(item) => told.unreadable(number, item),
                DeviceEvent::Ignored(item) => told.add_ignored(number, item),
                DeviceEvent::SentByUs(_) => told.add_ignored(number, sent_by_us()),
                DeviceEvent::Echoed(echo) | DeviceEvent::SentBySomeDevice(echo) => told.add_echo(number, echo),
                DeviceEvent::Changed(change) => told.add_change(number, change),
                DeviceEvent::Session(_) | DeviceEvent::Banned(_) | DeviceEvent::Qr(_) => {}
            }
        }
        told.items
    }

    pub(super) fn event(&mut self, ctx: &Context, number: &LiteNumber, session: &mut LiteSession, event: DeviceEvent) {
        match event {
            DeviceEvent::Session(news) => self.news(session, news),
            DeviceEvent::Banned(seconds) => {
                session.banned_until = Some(ctx.now() + TimeDelta::seconds(i64::from(seconds)));
                self.news(session, SessionNews::Banned);
            }
            DeviceEvent::Qr(code) => {
                self.news(session, SessionNews::QrIssued);
                session.qr = Some((code.text, ctx.now() + TimeDelta::seconds(i64::from(code.seconds))));
            }
            DeviceEvent::Came(message) => self.came(number, message),
            DeviceEvent::Moved(status) => self.add_status(number, status),
            DeviceEvent::Unreadable(item) => self.unreadable(number, item),
            DeviceEvent::Ignored(item) => self.add_ignored(number, item),
            DeviceEvent::SentByUs(_) => self.add_ignored(number, sent_by_us()),
            DeviceEvent::Echoed(echo) | DeviceEvent::SentBySomeDevice(echo) => self.add_echo(number, echo),
            DeviceEvent::Changed(change) => self.add_change(number, change),
        }
    }

    fn unreadable(&mut self, number: &LiteNumber, item: UnreadableItem) {
        let key = format!("lite:{}:unreadable:{}:{}", number.inbox, item.kind, item.content);
        self.item(number, key, CallbackBody::Unreadable(item));
    }

    fn add_ignored(&mut self, number: &LiteNumber, item: IgnoredItem) {
        self.item(number, format!("ignored:{}", item.kind), CallbackBody::Ignored(item));
    }

    fn came(&mut self, number: &LiteNumber, message: Box<InboundMessage>) {
        let key = format!("lite:{}:message:{}", number.inbox, message.provider_id);
        self.item(number, key, CallbackBody::Message(message));
    }

    fn add_status(&mut self, number: &LiteNumber, status: StatusUpdate) {
        // A report in place of a lost answer names our message: the acknowledgement before it could not.
        let kind = if status.opaque.is_some() { "answer" } else { "status" };
        let key = format!("lite:{}:{kind}:{}:{:?}", number.inbox, status.provider_id, status.status);
        self.item(number, key, CallbackBody::Status(status));
    }

    fn add_echo(&mut self, number: &LiteNumber, echo: Box<Echo>) {
        let key = format!("lite:{}:echo:{}", number.inbox, echo.provider_id);
        self.item(number, key, CallbackBody::Echo(echo));
    }

    /// Devices do not number the edits of a message, so their times distinguish them.
    fn add_change(&mut self, number: &LiteNumber, change: Box<MessageChange>) {
        let what = match change.change.kind() {
            ChangeKind::Edited => format!("edited:{}", change.at.timestamp_millis()),
            ChangeKind::Deleted => "deleted".to_owned(),
        };
        let key = format!("lite:{}:change:{}:{what}", number.inbox, change.provider_id);
        self.item(number, key, CallbackBody::Change(change));
    }

    fn item(&mut self, number: &LiteNumber, dedupe_key: String, mut body: CallbackBody) {
        scope_lite_ids(number.inbox, &mut body);
        self.items.push(CallbackItem { dedupe_key, target: CallbackTarget::Inbox(number.inbox), body });
    }

    /// Stores the session and its events in one transaction.
    pub(super) async fn write(
        self,
        ctx: &Context,
        lease: &Lease,
        number: &LiteNumber,
        session: &mut LiteSession,
        next: NextCheck,
    ) -> Result<()> {
        let (client, inbox, now) = (number.client, number.inbox, ctx.now());
        let came_up = self.changes.iter().any(|change| change.status == domain::event::ConnectionStatus::Success);
        if !self.changes.is_empty() {
            session.changed_at = Some(now);
        }
        let event = |change: SessionChanged| NewEvent {
            inbox: Some(inbox),
            order_key: order_key(inbox, &Address::from(number.msisdn.clone())),
            at: now,
            event: Event::SessionChanged(change),
        };
        let events: Vec<NewEvent> = self.changes.into_iter().map(event).collect();
        let mut tx = ctx.db.begin().await?;
        lease.hold(&mut tx).await?;
        let mut wakes = take_of_inbox(ctx, &mut tx, client, inbox, self.items).await?;
        storage::inboxes::lite::save(&mut tx, client, inbox, SessionWrite { session, next, opens: came_up }).await?;
        if !events.is_empty() {
            wakes.extend(record(ctx, &mut tx, client, &events).await?);
        }
        tx.commit().await?;
        if came_up {
            wakes.insert((Queue::Outbound, inbox.0));
        }
        ctx.wake.wake_all(client, wakes);
        Ok(())
    }
}
