//! Answers to numbered lines: what is a tap on other channels is a number or a label on Lite (ADR 0024). On Messenger lists are
//! such lines, and a tap on a quick reply does not say which message it belongs to (ADR 0028).

use domain::{
    ids::{ClientId, CustomerId, InboxId},
    inbound::{InboundContent, InboundMessage},
    lite::{Choice, ChoiceKind, chosen, offered, tapped},
};
use storage::{PgConnection, chat::chat_messages, people::lite_offers};

use base::Result;

/// The tap that a text stands for; `None` when it is a text like any other.
pub(super) async fn tap(
    db: &mut PgConnection,
    client: ClientId,
    (inbox, customer): (InboxId, CustomerId),
    message: &InboundMessage,
) -> Result<Option<InboundMessage>> {
    let body = match &message.content {
        InboundContent::Text { body } => body,
        InboundContent::Interactive { payload, .. } if message.quoted_provider_id.is_none() => {
            let Some(offer) = lite_offers::of(db, client, inbox, customer).await? else { return Ok(None) };
            return Ok(tapped(&offer.choices, payload).map(|choice| as_tap(message, choice, Some(&offer.provider_id))));
        }
        _ => return Ok(None),
    };
    if let Some(quoted) = message.quoted_provider_id.as_deref() {
        // Whatever was sent since, a quote says which lines are meant.
        let quoted = chat_messages::quoted(db, client, quoted).await?;
        let choices = quoted.and_then(|quoted| quoted.content).map(|content| offered(&content)).unwrap_or_default();
        return Ok(chosen(&choices, body, true).map(|choice| as_tap(message, choice, None)));
    }
    let Some(offer) = lite_offers::of(db, client, inbox, customer).await? else { return Ok(None) };
    let choice = chosen(&offer.choices, body, offer.is_last);
    Ok(choice.map(|choice| as_tap(message, choice, Some(&offer.provider_id))))
}

fn as_tap(message: &InboundMessage, choice: &Choice, tapped: Option<&str>) -> InboundMessage {
    let (text, payload) = (choice.label.clone(), choice.payload.clone());
    let content = match choice.kind {
        ChoiceKind::Button => InboundContent::Button { text, payload },
        ChoiceKind::Interactive => InboundContent::Interactive { text, payload },
    };
    let quoted_provider_id = tapped.map(str::to_owned).or_else(|| message.quoted_provider_id.clone());
    InboundMessage { content, quoted_provider_id, ..message.clone() }
}
