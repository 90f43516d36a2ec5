//! Analytics of messages (SPEC 2.11, 4.5): the counts and their periods.

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{
    body::{Faults, FieldFault},
    clock::minted_at,
    dates,
    delivery::DeliveryState,
};

/// `messageType` of the analytics call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CountedType {
    /// Templates of the send endpoints.
    Notification,
    /// Messages of chatbots and agents in live chats.
    Session24Hour,
    /// Free texts into long-lived conversations.
    Conversation,
    /// Free-form messages of the send endpoints.
    Chat,
}

impl CountedType {
    pub const ALL: [Self; 4] = [Self::Notification, Self::Session24Hour, Self::Conversation, Self::Chat];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Notification => "NOTIFICATION",
            Self::Session24Hour => "SESSION24HOUR",
            Self::Conversation => "CONVERSATION",
            Self::Chat => "CHAT",
        }
    }
}

/// Messages that were submitted in the period, by their present state.
// A message counts at every step that it reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = ConversationAnalytics)]
pub struct MessageCounts {
    /// Messages that were submitted in the period.
    #[serde(rename = "conversationSubmitted")]
    #[schema(minimum = 0)]
    pub submitted: i64,
    /// Number of these that were sent.
    #[serde(rename = "conversationSent")]
    #[schema(minimum = 0)]
    pub sent: i64,
    /// Number of these that were delivered.
    #[serde(rename = "conversationDelivered")]
    #[schema(minimum = 0)]
    pub delivered: i64,
    /// Number of these that were read.
    #[serde(rename = "conversationRead")]
    #[schema(minimum = 0)]
    pub read: i64,
    /// Number of these that failed on WhatsApp, with or without a fallback SMS.
    #[serde(rename = "conversationFailed")]
    #[schema(minimum = 0)]
    pub failed: i64,
}

impl MessageCounts {
    pub fn count(&mut self, state: DeliveryState) {
        match state {
            DeliveryState::Queued => self.submitted += 1,
            DeliveryState::Sent => self.sent += 1,
            DeliveryState::Delivered => self.delivered += 1,
            DeliveryState::Read => self.read += 1,
            DeliveryState::Failed => self.failed += 1,
            DeliveryState::Accepted | DeliveryState::Played => {}
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

pub fn counted_in(message: Uuid) -> DateTime<Utc> {
    minted_at(message).trunc_subsecs(0)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    pub from: DateTime<Utc>,
    pub before: DateTime<Utc>,
}

const FORMAT: &str = "%Y-%m-%d %H:%M:%S";

impl Period {
    /// Reads `startDate` and `endDate`. Both belong to the period, with the whole of their seconds.
    pub fn parse(start: Option<&str>, end: Option<&str>) -> Result<Self, Faults> {
        let (from, last) = (date("startDate", start), date("endDate", end));
        match (from, last) {
            (Ok(from), Ok(last)) if last < from => {
                Err(FieldFault::new("endDate", "is before startDate: a period ends when it begins, or later").into())
            }
            (Ok(from), Ok(last)) => Ok(Self { from, before: last + TimeDelta::seconds(1) }),
            (from, last) => Err([from.err(), last.err()].into_iter().flatten().collect()),
        }
    }

    /// The whole hours in it: from the first one to the first one that is not; empty ones are none.
    pub fn whole_hours(&self) -> (DateTime<Utc>, DateTime<Utc>) {
        const HOUR: i64 = 3600;
        let seconds = |at: DateTime<Utc>| at.timestamp();
        let first = seconds(self.from).saturating_add(HOUR - 1).div_euclid(HOUR) * HOUR;
        let end = seconds(self.before).div_euclid(HOUR) * HOUR;
        let at = |seconds: i64| DateTime::from_timestamp(seconds, 0).unwrap_or(self.before);
        if end > first { (at(first), at(end)) } else { (self.before, self.before) }
    }
}

fn date(field: &str, text: Option<&str>) -> Result<DateTime<Utc>, FieldFault> {
    let Some(text) = text.filter(|text| !text.is_empty()) else {
        return Err(FieldFault::new(field, "is required, as YYYY-MM-DD HH:mm:ss in UTC"));
    };
    let read = dates::wall(text, &[FORMAT]);
    // Exactly as documented: two digits where there are two, and no second 60.
    let read =
        read.filter(|read| read.format(FORMAT).to_string() == text && read.and_utc().timestamp_subsec_nanos() == 0);
    read.map(|read| read.and_utc())
        .ok_or_else(|| FieldFault::new(field, "is not a date as YYYY-MM-DD HH:mm:ss, such as 2026-01-31 23:59:59"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn period(start: &str, end: &str) -> Result<Period, Vec<String>> {
        let fields = |faults: Faults| faults.into_listed().into_iter().map(|fault| fault.field).collect();
        Period::parse(Some(start), Some(end)).map_err(fields)
    }

    #[test]
    fn both_dates_belong_to_the_period_with_the_whole_of_their_seconds() {
        let day = period("2026-01-31 00:00:00", "2026-01-31 23:59:59").unwrap();
        assert_eq!((day.from, day.before), (moment("2026-01-31T00:00:00Z"), moment("2026-02-01T00:00:00Z")));
        let second = period("2026-01-31 12:00:00", "2026-01-31 12:00:00").unwrap();
        assert_eq!((second.before - second.from).num_seconds(), 1);
    }

    #[test]
    fn a_period_that_ends_before_its_start_is_refused() {
        assert_eq!(period("2026-01-31 12:00:01", "2026-01-31 12:00:00").unwrap_err(), ["endDate"]);
    }

    #[test]
    fn dates_are_written_exactly_as_documented() {
        for wrong in [
            "",
            "2026-01-31",
            "2026-1-31 00:00:00",
            "2026-01-31T00:00:00",
            "2026-01-31 00:00:00Z",
            " 2026-01-31 00:00:00",
            "2026-01-31 24:00:00",
            "2026-01-31 23:59:60",
            "2026-02-30 00:00:00",
            "+2026-01-31 00:00:00",
            "-5000-01-31 00:00:00",
            "+262142-12-31 23:59:59",
            "26-01-31 00:00:00",
            "0000-01-31 00:00:00",
            "yesterday",
        ] {
            assert_eq!(period(wrong, "2026-12-31 00:00:00").unwrap_err(), ["startDate"], "{wrong}");
        }
        let faults = Period::parse(None, None).unwrap_err().into_listed();
        assert_eq!(faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(), ["startDate", "endDate"]);
    }

    #[test]
    fn the_whole_hours_of_a_period_lie_within_it() {
        let hours = |start: &str, end: &str| {
            let period = period(start, end).unwrap();
            let (first, end) = period.whole_hours();
            assert!(period.from <= first && end <= period.before);
            (end - first).num_hours()
        };
        assert_eq!(hours("2026-01-31 00:00:00", "2026-01-31 23:59:59"), 24);
        assert_eq!(hours("2026-01-31 00:00:01", "2026-01-31 23:59:59"), 23);
        assert_eq!(hours("2026-01-31 00:00:00", "2026-01-31 23:59:58"), 23);
        assert_eq!(hours("2026-01-31 10:59:59", "2026-01-31 11:00:00"), 0);
        assert_eq!(hours("2026-01-31 10:30:00", "2026-01-31 10:45:00"), 0);
        assert_eq!(hours("1969-12-31 22:30:00", "1970-01-01 00:30:00"), 1);
    }

    #[test]
    fn a_message_counts_in_the_second_of_its_id() {
        let at = moment("2026-01-31T12:00:00.999Z");
        assert_eq!(counted_in(crate::clock::first_id_at(at)), moment("2026-01-31T12:00:00Z"));
    }
}
