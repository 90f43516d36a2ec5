//! The states of an accepted WhatsApp message: sent, delivered, read, or failed.

use std::{sync::Arc, time::Duration};

use tokio::sync::oneshot;

use crate::{
    callbacks::{self, ReceiptReport, SimulatedChange},
    lite::receipts,
    mailbox::MessageState,
    world::{SimulatedWorld, WorldState},
};

const UNTIL_SENT: Duration = Duration::from_millis(20);
const UNTIL_DELIVERED: Duration = Duration::from_millis(50);
const UNTIL_READ: Duration = Duration::from_millis(50);

/// With `first_taken` the first step happens at once, and the sender gets a signal when the host has accepted its callback.
pub(crate) async fn play(
    world: Arc<SimulatedWorld>,
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
    advance(&world, &wamid, MessageState::Sent, first_taken);
    world.pause(UNTIL_DELIVERED).await;
    let (delivers, reads) = behaviour(&world, &wamid);
    if delivers {
        advance(&world, &wamid, MessageState::Delivered, None);
    }
    if reads {
        world.pause(UNTIL_READ).await;
        advance(&world, &wamid, MessageState::Read, None);
    }
}

fn behaviour(world: &SimulatedWorld, wamid: &str) -> (bool, bool) {
    let mut state = world.state();
    let Some(message) = state.mailbox.received_message(wamid) else {
        return (false, false);
    };
    let msisdn = message.msisdn.clone();
    let phone = state.phones.get(&msisdn);
    (phone.auto_deliver, phone.auto_read && phone.auto_deliver)
}

/// Advances a message and reports that to the host. A message never moves back.
pub(crate) fn advance(
    world: &Arc<SimulatedWorld>,
    wamid: &str,
    progress: MessageState,
    taken: Option<oneshot::Sender<()>>,
) -> bool {
    let reported = {
        let mut state = world.state();
        let silent = progress == MessageState::Delivered && state.faults.skip_delivered;
        if let Some(moved) = step_of_device(&mut state, wamid, progress) {
            world.lite_news.notify_waiters();
            return moved;
        }
        step(&mut state, wamid, progress).map(|event| (!silent).then_some(event))
    };
    let moved = reported.is_some();
    if let Some(Some(event)) = reported {
        world.publish(SimulatedChange { taken, ..event });
    }
    moved
}

fn fail(world: &Arc<SimulatedWorld>, wamid: &str, code: u32, taken: Option<oneshot::Sender<()>>) {
    let event = step(&mut world.state(), wamid, MessageState::Failed);
    if let Some(event) = event {
        let value = callbacks::with_failure(event.value, code);
        world.publish(SimulatedChange { value, taken, ..event });
    }
}

/// `None` for messages that are not of a Lite device. The caller wakes waiting requests for events.
fn step_of_device(state: &mut WorldState, id: &str, progress: MessageState) -> Option<bool> {
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
fn step(state: &mut WorldState, wamid: &str, progress: MessageState) -> Option<SimulatedChange> {
    let skipped = state.faults.skip_delivered && progress == MessageState::Delivered;
    let message = state.mailbox.received_mut(wamid)?;
    if message.status >= progress {
        return None;
    }
    message.status = progress;
    let arrived = matches!(progress, MessageState::Delivered | MessageState::Read) && !skipped;
    let sender = message.sender.as_mut()?;
    let priced = progress == MessageState::Sent || (arrived && !sender.priced);
    sender.priced |= arrived;
    let (message, sender) = (message.clone(), message.sender.clone()?);
    let phone_number_id = message.phone_number_id.clone()?;
    let waba_id = state.numbers.waba_of(&phone_number_id);
    let number = state.numbers.get(&phone_number_id).clone();
    let phone = state.phones.get(&message.msisdn).clone();
    let report = ReceiptReport { number: &number, phone: &phone, message: &message, sender: &sender, progress, priced };
    Some(SimulatedChange {
        queue: message.msisdn.clone(),
        waba_id,
        field: "messages".to_owned(),
        value: callbacks::status(&report),
        taken: None,
    })
}
