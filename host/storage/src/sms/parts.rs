use std::collections::{BTreeMap, HashMap};

use domain::{
    delivery::DeliveryState,
    ids::{ClientId, MessageId},
    sms_products::FinalReceipt,
};
use uuid::Uuid;

use crate::{PgConnection, Result, column_values::read_value};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SmsPart {
    pub message: MessageId,
    pub ordinal: i16,
    pub part: i16,
}

/// Returns the accepted parts of legs (message and ordinal), in order. Legs without accepted parts are absent.
pub async fn find_submitted(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
) -> Result<HashMap<(MessageId, i16), Vec<i16>>> {
    if legs.is_empty() {
        return Ok(HashMap::new());
    }
    let rows: Vec<(Uuid, i16, i16)> = sqlx::query_as(
        "SELECT part.message_id, part.ordinal, part.part
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS one (message_id, ordinal)
               OFFSET 0) leg
         JOIN sms_part part ON part.client_id = leg.client_id AND part.message_id = leg.message_id
             AND part.ordinal = leg.ordinal
         ORDER BY part.part",
    )
    .bind(client.0)
    .bind(legs.iter().map(|(message, _)| message.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|(_, ordinal)| *ordinal).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let mut taken: HashMap<(MessageId, i16), Vec<i16>> = HashMap::new();
    for (message, ordinal, part) in rows {
        taken.entry((MessageId(message), ordinal)).or_default().push(part);
    }
    Ok(taken)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartReport {
    pub part: SmsPart,
    pub state: DeliveryState,
    pub receipt: Option<FinalReceipt>,
}

/// Stores reports in the order of arrival. A final state stays.
pub async fn report(db: &mut PgConnection, client: ClientId, reports: &[PartReport]) -> Result<()> {
    let words = last_words(reports);
    if words.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "UPDATE sms_part part SET state = given.state, receipt = given.receipt
         FROM (SELECT $1::uuid AS client_id, *
               FROM unnest($2::uuid[], $3::smallint[], $4::smallint[], $5::text[], $6::text[])
                   AS one (message_id, ordinal, part, state, receipt)
               OFFSET 0) given
         WHERE part.client_id = given.client_id AND part.message_id = given.message_id AND part.ordinal = given.ordinal
           AND part.part = given.part AND part.state NOT IN ('DELIVERED', 'FAILED')",
    )
    .bind(client.0)
    .bind(words.keys().map(|part| part.message.0).collect::<Vec<_>>())
    .bind(words.keys().map(|part| part.ordinal).collect::<Vec<_>>())
    .bind(words.keys().map(|part| part.part).collect::<Vec<_>>())
    .bind(words.values().map(|word| word.state.as_str()).collect::<Vec<_>>())
    .bind(words.values().map(|word| word.receipt.map(FinalReceipt::as_str)).collect::<Vec<_>>())
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the report that counts for each part: the first final one, otherwise the last. An unknown end gives way to a
/// delivery as long as both are unreported.
fn last_words(reports: &[PartReport]) -> BTreeMap<SmsPart, PartReport> {
    let mut words: BTreeMap<SmsPart, PartReport> = BTreeMap::new();
    for report in reports {
        let word = words.entry(report.part).or_insert(*report);
        let is_final = matches!(word.state, DeliveryState::Delivered | DeliveryState::Failed);
        let is_unknown = word.receipt == Some(FinalReceipt::Unknown);
        if !is_final || (is_unknown && report.state == DeliveryState::Delivered) {
            *word = *report;
        }
    }
    words
}

pub async fn states(
    db: &mut PgConnection,
    client: ClientId,
    legs: &[(MessageId, i16)],
) -> Result<HashMap<(MessageId, i16), Vec<DeliveryState>>> {
    let rows: Vec<(Uuid, i16, String)> = sqlx::query_as(
        "SELECT part.message_id, part.ordinal, part.state
         FROM (SELECT $1::uuid AS client_id, * FROM unnest($2::uuid[], $3::smallint[]) AS one (message_id, ordinal)
               OFFSET 0) given
         CROSS JOIN LATERAL (
             SELECT message_id, ordinal, state FROM sms_part one
             WHERE one.client_id = given.client_id AND one.message_id = given.message_id AND one.ordinal = given.ordinal
             OFFSET 0) part",
    )
    .bind(client.0)
    .bind(legs.iter().map(|leg| leg.0.0).collect::<Vec<_>>())
    .bind(legs.iter().map(|leg| leg.1).collect::<Vec<_>>())
    .fetch_all(db)
    .await?;
    let mut states: HashMap<(MessageId, i16), Vec<DeliveryState>> = HashMap::new();
    for (message, ordinal, state) in rows {
        let state = read_value("sms_part", "state", &state, |state| state.parse().ok())?;
        states.entry((MessageId(message), ordinal)).or_default().push(state);
    }
    Ok(states)
}
