//! Prevents that a text is sent twice under the same tracking id (SPEC 4.8).

use std::collections::HashSet;

use base::{Context, Result};
use domain::ids::{ClientId, SmsRequestId};
use sha2::{Digest as _, Sha256};
use storage::{
    PgConnection,
    sms::products::{opt_outs::StoppedSources, requests},
};

use crate::order::{OrderedText, SmsOrder};

/// Identifies a text to a number under a tracking id.
pub(crate) type Digest = [u8; 32];

/// The messages that were not sent before.
pub(crate) struct NewMessages {
    /// To send, by one of the requests.
    sent: HashSet<Digest>,
    /// To store as blocked, by each of these requests.
    blocked: HashSet<(usize, Digest)>,
}

impl NewMessages {
    /// True if the request at this index takes the message. Only the first call returns true, so a message that a
    /// request repeats is taken once.
    pub(crate) fn take(&mut self, order: usize, digest: Digest) -> bool {
        self.sent.remove(&digest) || self.blocked.remove(&(order, digest))
    }
}

/// Keyed, so that it does not reveal the text. `None` without a tracking id.
pub(crate) fn digest(ctx: &Context, client: ClientId, text: &OrderedText, to: &str) -> Option<Digest> {
    let ct_id = text.ct_id.as_deref()?;
    let mut digest = Sha256::new();
    digest.update(ctx.sealer.derive("sms that were sent"));
    digest.update(client.0.as_bytes());
    for field in [ct_id, to, text.content.text.as_str()] {
        digest.update(field.len().to_be_bytes());
        digest.update(field.as_bytes());
    }
    Some(digest.finalize().into())
}

/// The sources of orders.
#[derive(Clone, Copy)]
pub(crate) struct SourceFacts<'a> {
    /// That of an order without one.
    pub(crate) own: &'a str,
    /// With the recipients that opted out of messages from them.
    pub(crate) stopped: &'a StoppedSources,
}

/// Finds the messages with a tracking id that were not sent before, and the request that sent one of the others.
/// Messages to recipients that opted out count as not sent.
pub(crate) async fn unsent(
    ctx: &Context,
    db: &mut PgConnection,
    client: ClientId,
    orders: &[SmsOrder],
    SourceFacts { own, stopped }: SourceFacts<'_>,
) -> Result<(NewMessages, Option<SmsRequestId>)> {
    let (mut sent, mut blocked) = (Vec::new(), Vec::new());
    for (at, order) in orders.iter().enumerate() {
        let source = order.source.as_deref().unwrap_or(own);
        for text in &order.texts {
            for (to, _) in &text.recipients {
                let Some(digest) = digest(ctx, client, text, to) else { continue };
                if stopped.contains(source, to) {
                    blocked.push((at, digest));
                } else {
                    sent.push((digest, order.id));
                }
            }
        }
    }
    let (sent, mut before) = requests::send_once(db, client, &sent).await?;
    let asked: HashSet<Digest> = blocked.iter().map(|(_, digest)| *digest).collect();
    let known = requests::sent_before(db, client, &Vec::from_iter(asked)).await?;
    before = before.or_else(|| known.values().copied().min());
    let blocked = blocked.into_iter().filter(|(_, digest)| !known.contains_key(digest)).collect();
    Ok((NewMessages { sent, blocked }, before))
}
