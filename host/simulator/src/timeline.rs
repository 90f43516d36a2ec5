//! The states of an accepted WhatsApp message: sent, delivered, read, or failed.

use std::{sync::Arc, time::Duration};

use tokio::sync::oneshot;

use crate::{
    callbacks::{self, Event, StatusReport},
    lite::receipts,
    mailbox::Progress,
    world::{State, World},
};

const UNTIL_SENT: Duration = Duration::from_millis(20);
const UNTIL_DELIVERED: Duration = Duration::from_millis(50);
const UNTIL_READ: Duration = Duration::from_millis(50);

/// Runs a message through its states. With `first_taken` the first step happens at once, and the sender gets a signal
/// when the host has accepted its callback.
pub(crate) async fn play(
    world: Arc<World>,
    wamid: String,
    failure: Option<u32>,
    first_taken: Option<oneshot::Sender<()>>,
) {
    if first_taken.is_none() {
        world.pause(UNTIL_SENT).await;
    }
    if let Some(code) = failure {
        fail(&world, &wamid, code, first_taken);
        return;
    }
    advance(&world, &wamid, Progress::Sent, first_taken);
    world.pause(UNTIL_DELIVERED).await;
    let (delivers, reads) = behaviour(&world, &wamid);
    if delivers {
        advance(&world, &wamid, Progress::Delivered, None);
    }
    if reads {
        world.pause(UNTIL_READ).await;
        advance(&world, &wamid, Progress::Read, None);
    }
}

/// True if the phone delivers and reads automatically.
fn behaviour(world: &World, wamid: &str) -> (bool, bool) {
    let mut state = world.state();
    let Some(message) = state.mailbox.received(wamid) else {
        return (false, false);
    };
    let msisdn = message.msisdn.clone();
    let phone = state.phones.get(&msisdn);
    (phone.auto_deliver, phone.auto_read && phone.auto_deliver)
}

/// Advances a message and reports that to the host. A message never moves back.
pub(crate) fn advance(world: &Arc<World>, wamid: &str, progress: Progress, taken: Option<oneshot::Sender<()>>) -> bool {
    let reported = {
        let mut state = world.state();
        let silent = progress == Progress::Delivered && state.faults.skip_delivered;
        if let Some(moved) = step_of_device(&mut state, wamid, progress) {
            world.lite_news.notify_waiters();
            return moved;
        }
        step(&mut state, wamid, progress).map(|event| (!silent).then_some(event))
    };
    let moved = reported.is_some();
    if let Some(Some(event)) = reported {
        world.publish(Event { taken, ..event });
    }
    moved
}

fn fail(world: &Arc<World>, wamid: &str, code: u32, taken: Option<oneshot::Sender<()>>) {
    let event = step(&mut world.state(), wamid, Progress::Failed);
    if let Some(event) = event {
        let value = callbacks::with_failure(event.value, code);
        world.publish(Event { value, taken, ..event });
    }
}

/// Advances a message of a Lite device, and reports that to the device. `None` for other messages. The caller wakes
/// waiting requests for events.
fn step_of_device(state: &mut State, id: &str, progress: Progress) -> Option<bool> {
    let message = state.mailbox.received_mut(id)?;
    let device = message.device.clone()?;
    if message.status >= progress {
        return Some(false);
    }
    message.status = progress;
    receipts::receipt(state, &device, id, progress);
    Some(true)
}

/// The event of a step. `None` if the message already has the state.
fn step(state: &mut State, wamid: &str, progress: Progress) -> Option<Event> {
    let skipped = state.faults.skip_delivered && progress == Progress::Delivered;
    let message = state.mailbox.received_mut(wamid)?;
    if message.status >= progress {
        return None;
    }
    message.status = progress;
    let arrived = matches!(progress, Progress::Delivered | Progress::Read) && !skipped;
    let sender = message.sender.as_mut()?;
    let priced = progress == Progress::Sent || (arrived && !sender.priced);
    sender.priced |= arrived;
    let (message, sender) = (message.clone(), message.sender.clone()?);
    let phone_number_id = message.phone_number_id.clone()?;
    let waba_id = state.numbers.waba_of(&phone_number_id);
    let number = state.numbers.get(&phone_number_id).clone();
    let phone = state.phones.get(&message.msisdn).clone();
    let report = StatusReport { number: &number, phone: &phone, message: &message, sender: &sender, progress, priced };
    Some(Event {
        queue: message.msisdn.clone(),
        waba_id,
        field: "messages".to_owned(),
        value: callbacks::status(&report),
        taken: None,
    })
}
