//! Facts about recipients and tiers for a group of sends: one statement, which returns only the few exceptions.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, InboxId},
};

use crate::{PgConnection, Result, sms::products::opt_outs::StoppedSources};

#[derive(Debug, Clone, Copy)]
pub struct RecipientQuestion<'a> {
    pub address: &'a Address,
    pub marketing: bool,
}

#[derive(Debug, Default)]
pub struct Questions<'a> {
    pub recipients: Vec<RecipientQuestion<'a>>,
    pub numbers: Vec<InboxId>,
    pub counted: Vec<(InboxId, &'a str)>,
    pub windows: Vec<(InboxId, &'a Address)>,
    pub texts: Vec<(&'a str, &'a str)>,
}

impl Questions<'_> {
    pub fn is_empty(&self) -> bool {
        let Self { recipients, numbers, counted, windows, texts } = self;
        recipients.is_empty() && numbers.is_empty() && counted.is_empty() && windows.is_empty() && texts.is_empty()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendBar {
    Blocked,
    MarketingStopped,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TierUse {
    pub tier: String,
    /// Recipients that count within the window.
    pub used: u32,
    /// Increases with each group that was counted close to the limit.
    pub version: i64,
    pub counted: HashSet<String>,
}

#[derive(Debug, Default)]
pub struct RecipientStandings {
    /// Recipients that may not be written to, by position in the question.
    pub barred: HashMap<usize, SendBar>,
    pub tiers: HashMap<InboxId, TierUse>,
    /// When customers last wrote. Customers without a message are absent.
    pub wrote_at: HashMap<(InboxId, Address), DateTime<Utc>>,
    pub stopped: StoppedSources,
}

#[derive(sqlx::FromRow)]
struct AnswerRow {
    about: String,
    /// Position of the question, from 1; for recipients from 0.
    at: i64,
    tier: Option<String>,
    used: Option<i64>,
    version: Option<i64>,
    wrote_at: Option<DateTime<Utc>>,
}

/// Returns the answers. Quarters that begin after `since` count.
pub async fn load(
    db: &mut PgConnection,
    client: ClientId,
    questions: &Questions<'_>,
    since: DateTime<Utc>,
) -> Result<RecipientStandings> {
    // A block of one spelling of a number applies to the other.
    let spelled: Vec<(usize, Cow<'_, Address>, bool)> = questions
        .recipients
        .iter()
        .enumerate()
        .flat_map(|(at, one)| {
            let other = one.address.other_spelling().map(|other| (at, Cow::Owned(other), false));
            [Some((at, Cow::Borrowed(one.address), one.marketing)), other].into_iter().flatten()
        })
        .collect();
    let texts = StoppedSources::spell(&questions.texts);
    let rows: Vec<AnswerRow> = sqlx::query_as(
        "SELECT CASE WHEN blocked.found THEN 'blocked' ELSE 'stopped' END AS about, wanted.at, NULL::text AS tier,
                NULL::bigint AS used, NULL::bigint AS version, NULL::timestamptz AS wrote_at
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::text[], $3::text[], $4::boolean[], $5::bigint[]) AS one (kind, value, marketing, at)
               OFFSET 0) wanted
         LEFT JOIN LATERAL (
             SELECT true AS found FROM blocked_recipient one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value
               AND (SELECT true FROM blocked_recipient WHERE client_id = $1 AND kind >= '' LIMIT 1) OFFSET 0) blocked ON true
         LEFT JOIN LATERAL (
             SELECT true AS found
             FROM (SELECT customer_id FROM customer_address one
                   WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value
                     AND wanted.marketing OFFSET 0) address
             CROSS JOIN LATERAL (
                 SELECT 1 FROM marketing_stop one
                 WHERE one.client_id = wanted.client_id AND one.customer_id = address.customer_id OFFSET 0) stop
             OFFSET 0) stopped ON true
         WHERE blocked.found OR stopped.found
         UNION ALL
         SELECT 'tier', number.at, tier.tier,
                (SELECT COALESCE(sum(counted.recipients), 0)::bigint FROM tier_count counted
                 WHERE counted.client_id = $1 AND counted.inbox_id = number.id AND counted.counted_at > $7),
                tier.version, NULL
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($6::uuid[]) WITH ORDINALITY AS one (id, at) OFFSET 0) number
         CROSS JOIN LATERAL (
             SELECT * FROM messaging_tier one WHERE one.client_id = number.client_id AND one.inbox_id = number.id OFFSET 0) tier
         UNION ALL
         SELECT 'counted', wanted.at, NULL, NULL, NULL, NULL
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($8::uuid[], $9::text[]) WITH ORDINALITY AS one (inbox_id, recipient, at) OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT 1 FROM tier_recipient one
             WHERE one.client_id = wanted.client_id AND one.inbox_id = wanted.inbox_id
               AND one.recipient = wanted.recipient AND one.counted_at > $7 OFFSET 0) known
         WHERE wanted.inbox_id = ANY (ARRAY(
             SELECT number.id
             FROM (SELECT $1::uuid AS client_id, id FROM unnest($6::uuid[]) AS id OFFSET 0) number
             CROSS JOIN LATERAL (
                 SELECT tier FROM messaging_tier one
                 WHERE one.client_id = number.client_id AND one.inbox_id = number.id OFFSET 0) limited
             WHERE limited.tier ~ '^TIER_[0-9]'))
         UNION ALL
         SELECT 'wrote', wanted.at, NULL, NULL, NULL, known.last_inbound_at
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($10::uuid[], $11::text[], $12::text[]) WITH ORDINALITY AS one (inbox_id, kind, value, at)
               OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT customer_id FROM customer_address one
             WHERE one.client_id = wanted.client_id AND one.kind = wanted.kind AND one.value = wanted.value OFFSET 0) address
         CROSS JOIN LATERAL (
             SELECT last_inbound_at FROM inbox_customer one
             WHERE one.client_id = wanted.client_id AND one.inbox_id = wanted.inbox_id
               AND one.customer_id = address.customer_id OFFSET 0) known
         UNION ALL
         SELECT 'text', wanted.at, NULL, NULL, NULL, NULL
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($13::text[], $14::text[]) WITH ORDINALITY AS one (source, subscriber, at) OFFSET 0) wanted
         CROSS JOIN LATERAL (
             SELECT 1 FROM sms_opt_out one
             WHERE one.client_id = wanted.client_id AND one.source = wanted.source AND one.subscriber = wanted.subscriber
             OFFSET 0) known",
    )
    .bind(client.0)
    .bind(spelled.iter().map(|(_, address, _)| address.kind().as_str()).collect::<Vec<_>>())
    .bind(spelled.iter().map(|(_, address, _)| address.value()).collect::<Vec<_>>())
    .bind(spelled.iter().map(|(_, _, marketing)| *marketing).collect::<Vec<_>>())
    .bind(spelled.iter().map(|(at, _, _)| i64::try_from(*at).unwrap_or(i64::MAX)).collect::<Vec<_>>())
    .bind(questions.numbers.iter().map(|inbox| inbox.0).collect::<Vec<_>>())
    .bind(since)
    .bind(questions.counted.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
    .bind(questions.counted.iter().map(|(_, recipient)| *recipient).collect::<Vec<_>>())
    .bind(questions.windows.iter().map(|(inbox, _)| inbox.0).collect::<Vec<_>>())
    .bind(questions.windows.iter().map(|(_, address)| address.kind().as_str()).collect::<Vec<_>>())
    .bind(questions.windows.iter().map(|(_, address)| address.value()).collect::<Vec<_>>())
    .bind(texts.iter().map(|(source, _)| source.as_str()).collect::<Vec<_>>())
    .bind(texts.iter().map(|(_, subscriber)| subscriber.as_str()).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let mut standing = RecipientStandings::default();
    for row in rows {
        standing.take(questions, &texts, row);
    }
    Ok(standing)
}

impl RecipientStandings {
    fn take(&mut self, questions: &Questions<'_>, texts: &[(String, String)], row: AnswerRow) {
        let at = usize::try_from(row.at).unwrap_or(usize::MAX);
        let place = at.wrapping_sub(1);
        match row.about.as_str() {
            "blocked" => {
                self.barred.insert(at, SendBar::Blocked);
            }
            "stopped" => {
                self.barred.entry(at).or_insert(SendBar::MarketingStopped);
            }
            "tier" => {
                let Some(number) = questions.numbers.get(place) else { return };
                let known = self.tiers.entry(*number).or_default();
                known.tier = row.tier.unwrap_or_default();
                known.used = row.used.and_then(|used| u32::try_from(used).ok()).unwrap_or(u32::MAX);
                known.version = row.version.unwrap_or_default();
            }
            "counted" => {
                let Some((number, recipient)) = questions.counted.get(place) else { return };
                self.tiers.entry(*number).or_default().counted.insert((*recipient).to_owned());
            }
            "wrote" => {
                let asked = questions.windows.get(place).zip(row.wrote_at);
                self.wrote_at.extend(asked.map(|((inbox, address), at)| ((*inbox, (*address).clone()), at)));
            }
            _ => self.stopped.extend(texts.get(place).cloned()),
        }
    }
}
