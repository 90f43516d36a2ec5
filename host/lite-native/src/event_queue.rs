//! Events of a device that are not known to be on disk. WhatsApp gets the receipt of a message afterwards, so a lost
//! one comes again.

use std::{collections::VecDeque, time::Duration};

use channels::whatsapp_lite::{DeviceEvent, DeviceNews};
use parking_lot::{Mutex, MutexGuard};
use tokio::{
    sync::{Notify, watch},
    time::timeout,
};

const AT_ONCE: usize = 200;

/// The events, oldest first, numbered for as long as the process lives.
pub(super) struct EventQueue {
    events: Mutex<Events>,
    more: Notify,
    progress: watch::Sender<Progress>,
}

#[derive(Default)]
struct Events {
    waiting: VecDeque<(u64, DeviceEvent)>,
    last: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// Up to there they are on disk.
    done: u64,
    /// Up to there they were given up with their connection.
    given_up: u64,
}

/// An event was not stored: it must come again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the event of the device was not stored")]
pub(super) struct EventNotStored;

impl EventQueue {
    pub(super) fn new() -> Self {
        Self { events: Mutex::default(), more: Notify::new(), progress: watch::Sender::new(Progress::default()) }
    }

    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock()
    }

    pub(super) fn push(&self, event: DeviceEvent) -> u64 {
        let number = {
            let mut events = self.events();
            events.last += 1;
            let number = events.last;
            events.waiting.push_back((number, event));
            number
        };
        self.more.notify_one();
        number
    }

    /// Adds events, and waits until all of them are on disk.
    pub(super) async fn push_and_wait(&self, told: Vec<DeviceEvent>, patience: Duration) -> Result<(), EventNotStored> {
        let Some(last) = told.into_iter().map(|event| self.push(event)).last() else { return Ok(()) };
        let mut progress = self.progress.subscribe();
        let settled = progress.wait_for(|now| now.done >= last || now.given_up >= last);
        match timeout(patience, settled).await {
            Ok(Ok(now)) if now.done >= last => Ok(()),
            _ => Err(EventNotStored),
        }
    }

    /// The events after `seen`, up to the last one before a gap; waits a moment for them.
    pub(super) async fn after(&self, seen: u64, patience: Duration) -> DeviceNews {
        self.progress.send_modify(|now| now.done = now.done.max(seen));
        self.events().waiting.retain(|(number, _)| *number > seen);
        if let Some(news) = self.waiting() {
            return news;
        }
        // Either way it is time to answer.
        let _ = timeout(patience, self.more.notified()).await;
        self.waiting().unwrap_or(DeviceNews { last: seen, events: Vec::new() })
    }

    fn waiting(&self) -> Option<DeviceNews> {
        let events = self.events();
        let (numbers, told): (Vec<u64>, Vec<DeviceEvent>) = events.waiting.iter().take(AT_ONCE).cloned().unzip();
        Some(DeviceNews { last: *numbers.last()?, events: told })
    }

    /// The events of an ended connection go with it, and waits for the disk fail. Receipts stay: they are not sent again.
    pub(super) fn give_up(&self) {
        let last = {
            let mut events = self.events();
            events.waiting.retain(|(_, event)| matches!(event, DeviceEvent::Moved(_)));
            events.last
        };
        self.progress.send_modify(|now| now.given_up = last);
    }
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use domain::{
        inbound::{ProviderStatus, StatusUpdate},
        lite::SessionNews,
    };

    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    fn dialling() -> DeviceEvent {
        DeviceEvent::Session(SessionNews::Dialling)
    }

    fn receipt() -> DeviceEvent {
        DeviceEvent::Moved(StatusUpdate {
            provider_id: "3EB0".to_owned(),
            opaque: None,
            status: ProviderStatus::Read,
            at: DateTime::UNIX_EPOCH,
            recipient: None,
            recipient_user_id: None,
            error: None,
        })
    }

    #[tokio::test(start_paused = true)]
    async fn an_event_is_repeated_until_it_is_acknowledged() {
        let told = EventQueue::new();
        told.push(dialling());
        let first = told.after(0, SOON).await;
        assert_eq!((first.last, first.events.len()), (1, 1));
        assert_eq!(told.after(0, SOON).await, first);
        assert_eq!(told.after(1, SOON).await, DeviceNews { last: 1, events: Vec::new() });
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_listener_gets_the_unacknowledged_events() {
        let told = EventQueue::new();
        told.push(dialling());
        told.push(receipt());
        told.after(1, SOON).await;
        assert_eq!(told.after(0, SOON).await.events, [receipt()]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_waits_until_it_is_on_disk() {
        let told = EventQueue::new();
        let waiting = told.push_and_wait(vec![dialling(), dialling()], SOON);
        let writing = async {
            assert_eq!(told.after(0, SOON).await.events.len(), 2);
            told.after(2, Duration::from_millis(1)).await;
        };
        assert_eq!(tokio::join!(waiting, writing).0, Ok(()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_is_written_in_part_only_is_not_on_disk() {
        let told = EventQueue::new();
        let waiting = told.push_and_wait(vec![dialling(), dialling()], SOON);
        let writing = async {
            told.after(1, Duration::from_millis(1)).await;
        };
        assert_eq!(tokio::join!(waiting, writing).0, Err(EventNotStored));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_that_is_over_takes_its_messages_with_it_and_leaves_its_receipts() {
        let told = EventQueue::new();
        told.push(receipt());
        let waiting = told.push_and_wait(vec![dialling()], SOON);
        let ending = async { told.give_up() };
        assert_eq!(tokio::join!(waiting, ending).0, Err(EventNotStored));
        assert_eq!(told.after(0, SOON).await.events, [receipt()]);
    }
}
