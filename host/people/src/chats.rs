use chrono::{DateTime, Utc};
use domain::{
    chat::{MOST_TAGS, TicketMove, TicketStatus},
    ids::{ClientId, CustomerId, InboxId, ParticipantId, TicketId},
};
use storage::{
    PgConnection, Result,
    chat::{
        due_work, notes,
        participants::{Participant, ParticipantState, lock, merging, save},
        tickets::{self, Ticket},
    },
};

#[derive(Debug, Clone, PartialEq)]
pub struct FoldedChats {
    pub chat: Participant,
    /// The same chat before the merge.
    pub was: Participant,
    /// The other chat before the merge. Its id is the id of a closed chat now.
    pub gone: Participant,
    /// The ticket of one chat that does not continue: closed, with its status before.
    pub ended: Option<(Ticket, TicketStatus)>,
}

/// Moves the chats of `absorbed` to `survivor`. If both have one on an inbox, their messages become one chat in the
/// order of arrival. Returns these merges.
pub(crate) async fn fold_customer(
    db: &mut PgConnection,
    client: ClientId,
    survivor: CustomerId,
    absorbed: CustomerId,
    now: DateTime<Utc>,
) -> Result<Vec<FoldedChats>> {
    let chats = merging::lock_of_both(db, client, survivor, absorbed).await?;
    let on = |customer: CustomerId, inbox: InboxId| {
        chats.iter().find(|chat| chat.customer == customer && chat.inbox == inbox).map(|chat| chat.id)
    };
    let mut folded = Vec::new();
    for inbox in chats.iter().filter(|chat| chat.customer == absorbed).map(|chat| chat.inbox) {
        match (on(survivor, inbox), on(absorbed, inbox)) {
            (Some(kept), Some(gone)) => folded.extend(fold(db, client, kept, gone, now).await?),
            (None, Some(moved)) => merging::give_to(db, client, moved, survivor).await?,
            (_, None) => {}
        }
    }
    Ok(folded)
}

async fn fold(
    db: &mut PgConnection,
    client: ClientId,
    kept: ParticipantId,
    gone: ParticipantId,
    now: DateTime<Utc>,
) -> Result<Option<FoldedChats>> {
    let (Some(one), Some(other)) = (lock(db, client, kept).await?, lock(db, client, gone).await?) else {
        return Ok(None);
    };
    let (joined, unwanted) = join(&one, &other);
    merging::move_messages(db, client, kept, gone, joined.next_sequence - 1).await?;
    save(db, client, &joined).await?;
    tickets::give_to(db, client, kept, gone).await?;
    notes::give_to(db, client, kept, gone).await?;
    let ended = match unwanted {
        Some(ticket) => end(db, client, ticket, now).await?,
        None => None,
    };
    merging::move_bot_data(db, client, kept, gone).await?;
    due_work::give_to(db, client, kept, gone).await?;
    merging::lead_to(db, client, kept, gone).await?;
    Ok(Some(FoldedChats { chat: joined, was: one, gone: other, ended }))
}

/// Closes a ticket that does not continue, as the end of its chat would (SPEC 2.9). A closed ticket stays as it is.
async fn end(
    db: &mut PgConnection,
    client: ClientId,
    ticket: TicketId,
    now: DateTime<Utc>,
) -> Result<Option<(Ticket, TicketStatus)>> {
    let Some(mut ticket) = tickets::lock(db, client, ticket).await? else { return Ok(None) };
    let before = ticket.status;
    if before.is_over() {
        return Ok(None);
    }
    ticket.status = before.after(TicketMove::Ended);
    ticket.updated_at = now;
    ticket.closed_at = Some(now);
    tickets::save(db, client, &ticket).await?;
    Ok(Some((ticket, before)))
}

/// Returns the merged chat: with people if one of the two was, closed only if both were. Also returns the ticket of the
/// other open chat, which must end.
fn join(kept: &Participant, gone: &Participant) -> (Participant, Option<TicketId>) {
    let weight = |state: ParticipantState| match state {
        ParticipantState::Active => 3,
        ParticipantState::Queued => 2,
        ParticipantState::Bot => 1,
        ParticipantState::Closed => 0,
    };
    let (goes_on, gives_way) = if weight(gone.state) > weight(kept.state) { (gone, kept) } else { (kept, gone) };
    let mut joined = Participant {
        state: goes_on.state,
        bot_state: goes_on.bot_state.clone(),
        bot_state_plugin: goes_on.bot_state_plugin.clone(),
        bot_plugin: goes_on.bot_plugin.clone(),
        assigned_agent: goes_on.assigned_agent,
        ticket: goes_on.ticket,
        team: goes_on.team.clone(),
        queued_reason: goes_on.queued_reason.clone(),
        after_hours: goes_on.after_hours,
        ..kept.clone()
    };
    let dropped = gives_way.assigned_agent.filter(|agent| goes_on.assigned_agent != Some(*agent));
    joined.control_version += 1;
    joined.next_sequence += gone.next_sequence - 1;
    joined.events_handled += gone.events_handled;
    joined.unread += gone.unread;
    // The facts of a closed conversation do not apply to an open one.
    let is_over = |one: &Participant| one.state == ParticipantState::Closed;
    let mut told = [kept, gone].into_iter().filter(|one| is_over(goes_on) || !is_over(one));
    joined.missed = told.clone().any(|one| one.missed);
    joined.missed_by = told.clone().find_map(|one| one.missed_by);
    joined.send_rating = told.any(|one| one.send_rating);
    joined.last_assigned_agent = joined.last_assigned_agent.or(dropped).or(gone.last_assigned_agent);
    joined.last_message_at = joined.last_message_at.max(gone.last_message_at);
    joined.created_at = joined.created_at.min(gone.created_at);
    let room = MOST_TAGS.saturating_sub(joined.tags.len());
    let new_tags: Vec<String> = gone.tags.iter().filter(|tag| !joined.tags.contains(tag)).take(room).cloned().collect();
    joined.tags.extend(new_tags);
    let unwanted = gives_way.ticket.filter(|_| gives_way.state != ParticipantState::Closed);
    (joined, unwanted)
}
