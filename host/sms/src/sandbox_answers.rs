//! The answers of test numbers to SMS of a sandbox (`docs/test-keys.md`). No SMS centre brings them: a delivered SMS to
//! such a number is answered at once.

use async_trait::async_trait;
use base::{Context, EventReader, Result};
use channels::sandbox::ANSWER;
use domain::{
    address::AddressKind,
    channel::Channel,
    delivery::DeliveryState,
    event::{Event, NewEvent},
    ids::ClientId,
    sandbox::SandboxOutcome,
};
use storage::{PgConnection, Queue, tenancy::sandboxes};
use uuid::Uuid;

use crate::replies::{self, SandboxAnswer};

/// Reads the deliveries of SMS.
#[derive(Debug, Clone, Copy)]
pub struct SandboxAnswers;

#[async_trait]
impl EventReader for SandboxAnswers {
    async fn take(
        &self,
        ctx: &Context,
        db: &mut PgConnection,
        client: ClientId,
        events: &[NewEvent],
    ) -> Result<Vec<(Queue, Uuid)>> {
        let answers: Vec<SandboxAnswer<'_>> = events.iter().filter_map(|new| answer(&new.event)).collect();
        let mut wakes = Vec::new();
        // A live message can have such a recipient, too.
        if answers.is_empty() || sandboxes::live_client(db, client).await?.is_none() {
            return Ok(wakes);
        }
        for answer in answers {
            wakes.extend(replies::answer_for_subscriber(ctx, db, client, answer).await?);
        }
        Ok(wakes)
    }
}

/// The answer to a delivered SMS, if its number answers. Messages of a chat are not answered, so that two sides that
/// answer each other come to an end.
fn answer(event: &Event) -> Option<SandboxAnswer<'_>> {
    let Event::MessageMoved(moved) = event else { return None };
    if moved.channel != Channel::Sms || moved.state != DeliveryState::Delivered || moved.chat_message.is_some() {
        return None;
    }
    let phone = moved.to.iter().find_map(|address| address.as_kind(AddressKind::Phone))?;
    let answer = SandboxAnswer { answered: moved.message, subscriber: phone, text: ANSWER };
    SandboxOutcome::of(phone)?.answers().then_some(answer)
}
