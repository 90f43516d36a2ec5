//! Decides which legs of a page of the queue go out now, and which step aside.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use base::Context;
use chrono::{DateTime, TimeDelta, Utc};
use domain::carriage::DoubtRule;
use storage::outbound::work::{DueLeg, EarlierMessages};

use super::{doubt, picked_legs::PickedLegs, postponement, sender::SenderInbox};

/// Legs to one recipient that wait in the queue. Further ones step aside, so that they never fill a page.
const IN_LINE: usize = 8;
/// Time between the turns of legs that wait for others to the same recipient: that of a quick call.
const TURN: Duration = Duration::from_millis(25);
const TURN_OF_CHAT: TimeDelta = TimeDelta::milliseconds(25);

#[derive(Default)]
struct Line {
    /// True if one message goes out or is in flight. The others wait for it.
    taken: bool,
    waiting: usize,
    /// If set, further messages step aside, each one turn later than the one before.
    turns: Option<(DateTime<Utc>, Duration)>,
    /// If set, further messages of the chat wait for one that is still being tried, each a turn longer.
    held: Option<EarlierMessages>,
}

impl Line {
    fn next_turn(&mut self) -> Option<DateTime<Utc>> {
        let (last, apart) = self.turns?;
        let next = last + TimeDelta::from_std(apart).unwrap_or(TimeDelta::MAX);
        self.turns = Some((next, apart));
        Some(next)
    }

    fn next_of_chat(&mut self) -> Option<EarlierMessages> {
        let held = self.held.as_mut()?;
        held.turn = held.turn.checked_add_signed(TURN_OF_CHAT).unwrap_or(DateTime::<Utc>::MAX_UTC);
        Some(*held)
    }
}

/// Picks up to `limit` legs of a page, which is in the order of the queue. `rule`: of the client, for legs in doubt.
pub(super) fn pick(
    ctx: &Context,
    sender: &SenderInbox,
    page: Vec<DueLeg>,
    limit: usize,
    busy: &HashSet<String>,
    rule: DoubtRule,
) -> PickedLegs {
    let (mut picked, mut lines): (_, HashMap<String, Line>) = (PickedLegs::default(), HashMap::new());
    let now = ctx.now();
    let pace = sender.carrier.pace(&sender.inbox).max(TURN);
    for leg in page {
        let recipient = leg.recipient.address();
        let line = lines
            .entry(recipient.value().to_owned())
            .or_insert_with(|| Line { taken: busy.contains(recipient.value()), ..Line::default() });
        if let Some(last) = leg.behind
            && line.turns.is_none()
        {
            line.turns = Some((last.max(now), TURN));
        }
        if let Some(held) = leg.held
            && line.held.is_none()
        {
            line.held = Some(EarlierMessages { turn: held.turn.max(now), ..held });
        }
        let of_chat = leg.chat_message.is_some();
        if let Some(turn) = line.next_turn() {
            picked.later.push((leg.message, leg.ordinal, turn));
        } else if let Some(held) = of_chat.then(|| line.next_of_chat()).flatten() {
            picked.waiting.push((leg.message, leg.ordinal, held));
        } else if line.taken {
            line.waiting += 1;
            if line.waiting == IN_LINE {
                line.turns = Some((now + TURN, TURN));
            }
        } else if leg.unanswered && leg.ambiguous {
            line.taken = true;
            picked.failed.push((leg, sender.carrier.no_answer()));
        } else if let Some(failure) = doubt::failure(rule, &leg) {
            line.taken = true;
            picked.failed.push((leg, failure));
        } else if let Some(expired) = postponement::expiry_failure(ctx, Some(sender.inbox.kind), &leg, now) {
            picked.failed.push((leg, expired));
        } else if picked.go.len() < limit {
            match sender.carrier.admit(&sender.inbox, recipient) {
                Ok(()) => {
                    line.taken = true;
                    picked.go.push(leg);
                }
                Err(wait) => {
                    let turn = now + TimeDelta::from_std(wait).unwrap_or(TimeDelta::MAX);
                    line.turns = Some((turn, pace));
                    picked.later.push((leg.message, leg.ordinal, turn));
                }
            }
        }
    }
    picked
}
