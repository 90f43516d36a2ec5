//! The first span of a message. Its trace has the id of the message (ADR 0059).

use std::time::Instant;

use base::traces::{self, OpenSpan, SpanKind, SpanPlace};
use domain::ids::ClientId;
use storage::outbound::messages::NewMessage;

/// Opens the span of a message that came at `came` and is being stored. It links to `cause`: the request, or the turn of
/// a chatbot.
pub fn message_span(
    client: ClientId,
    message: &NewMessage,
    cause: Option<SpanPlace>,
    came: Instant,
) -> Option<OpenSpan> {
    let span = traces::first(message.id.0, SpanKind::Producer)?.linked_to(cause).since(came);
    let span = span.of(client).with("patchbay.message.id", message.id.0).with("patchbay.inbox.id", message.inbox.0);
    Some(span.with("patchbay.channel", message.channel.as_str()))
}
