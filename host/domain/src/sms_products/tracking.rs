//! The request of a tracking query (SPEC 2.14).

use chrono::{DateTime, TimeDelta, Utc};
use serde::Deserialize;
use utoipa::ToSchema;
use uuid::Uuid;

use super::boolean::BooleanText;
use crate::{
    body::{self, Faults, FieldFault},
    dates,
};

const IDS_MAX: usize = 100;
/// Characters of an id at most: as many as a `ctid` may have where it is sent.
const ID_LENGTH_MAX: usize = 255;

/// The messages to track. At least one field is needed.
#[derive(Debug, Clone, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = GatewayTracking, examples(json!({"ctid": "order-7", "showfinalstatus": "true"})))]
pub struct TrackingBody {
    /// The client's tracking id.
    #[schema(nullable = false)]
    pub ctid: Option<String>,
    /// Id of one message.
    #[schema(nullable = false)]
    pub stid: Option<String>,
    /// Id of a request.
    #[schema(nullable = false)]
    pub gstid: Option<String>,
    /// Ids of several requests or messages.
    #[serde(default, alias = "globalIds", deserialize_with = "body::few_texts")]
    #[schema(nullable = false, max_items = 100)]
    pub gstids: Option<Vec<String>>,
    /// The day of acceptance, in UTC.
    #[schema(nullable = false)]
    pub sent_date: Option<String>,
    /// Accepted at or after this time.
    #[serde(alias = "startTime")]
    #[schema(nullable = false)]
    pub from_date: Option<String>,
    /// Accepted before this time.
    #[serde(alias = "endTime")]
    #[schema(nullable = false)]
    pub to_date: Option<String>,
    /// `true`: only messages with a final state.
    #[schema(nullable = false)]
    pub showfinalstatus: Option<BooleanText>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrackedObject {
    CtId(String),
    /// A request or a message by its id.
    Global(Uuid),
    /// A text that is no id, so it finds nothing.
    Nothing(String),
    Time,
}

impl TrackedObject {
    /// By which queries are counted.
    pub fn key(&self, from: Option<DateTime<Utc>>) -> String {
        match self {
            Self::CtId(id) => format!("ctid {id}"),
            Self::Global(id) => format!("gstid {id}"),
            Self::Nothing(id) => format!("gstid {id}"),
            Self::Time => format!("time {}", from.map(|from| from.to_rfc3339()).unwrap_or_default()),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackingQuery {
    /// The objects of the query: at least one.
    pub tracked: Vec<TrackedObject>,
    /// Accepted from then on.
    pub from: Option<DateTime<Utc>>,
    /// Accepted before then.
    pub to: Option<DateTime<Utc>>,
    pub only_final: bool,
}

impl TrackingBody {
    /// The field of an id that is longer than any id. Queries are stored for their limit.
    fn longer_than_any_id(&self) -> Option<&'static str> {
        let named = [("ctid", &self.ctid), ("stid", &self.stid), ("gstid", &self.gstid)];
        let named = named.into_iter().filter_map(|(field, id)| Some((field, id.as_deref()?)));
        let listed = self.gstids.iter().flatten().map(|id| ("gstids", id.as_str()));
        named.chain(listed).find(|(_, id)| id.chars().nth(ID_LENGTH_MAX).is_some()).map(|(field, _)| field)
    }

    pub fn parse(self) -> Result<TrackingQuery, Faults> {
        let mut faults = Faults::default();
        let mut tracked = Vec::new();
        if let Some(field) = self.longer_than_any_id() {
            faults.push(FieldFault::new(field, format!("must have at most {ID_LENGTH_MAX} characters")));
        }
        // As it was sent, spaces and all.
        tracked.extend(self.ctid.filter(|id| !id.trim().is_empty()).map(TrackedObject::CtId));
        let ids = [self.stid, self.gstid].into_iter().filter_map(non_empty);
        tracked.extend(
            ids.chain(self.gstids.unwrap_or_default().into_iter().filter_map(|id| non_empty(Some(id))))
                .map(|id| id.parse().map_or(TrackedObject::Nothing(id), TrackedObject::Global)),
        );
        if tracked.len() > IDS_MAX {
            faults.push(FieldFault::new("gstids", format!("must name at most {IDS_MAX} ids")));
        }
        let mut moment = |field: &str, text: Option<String>| {
            let text = non_empty(text)?;
            let read = moment_of(&text);
            if read.is_none() {
                faults.push(FieldFault::new(field, "is not a date or time: write 2026-01-31 or 2026-01-31T08:15:00Z"));
            }
            read
        };
        let day = moment("sentDate", self.sent_date);
        let (mut from, mut to) = (moment("fromDate", self.from_date), moment("toDate", self.to_date));
        if let Some((begin, end)) = day {
            from = from.or(Some((begin, begin)));
            to = to.or(Some((end, end)));
        }
        let only_final = self.showfinalstatus.as_ref().map_or(Some(false), BooleanText::read);
        if only_final.is_none() {
            faults.push(FieldFault::new("showfinalstatus", "must be `true` or `false`"));
        }
        let (from, to) = (from.map(|(begin, _)| begin), to.map(|(_, end)| end));
        if from.zip(to).is_some_and(|(from, to)| to < from) {
            faults.push(FieldFault::new("fromDate", "is later than the end of the requested period"));
        }
        if tracked.is_empty() && from.is_some() {
            tracked.push(TrackedObject::Time);
        }
        if tracked.is_empty() && faults.is_empty() {
            let said = "name at least one of `ctid`, `stid`, `gstid`, `gstids`, `sentDate` and `fromDate`";
            faults.push(FieldFault::new("body", said));
        }
        if faults.is_empty() {
            Ok(TrackingQuery { tracked, from, to, only_final: only_final.unwrap_or(false) })
        } else {
            Err(faults)
        }
    }
}

fn non_empty(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The time that a text stands for: of a day its beginning and its end, of a moment that moment twice.
fn moment_of(text: &str) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
    if let Some(day) = dates::day(text) {
        let begin = day.and_hms_opt(0, 0, 0)?.and_utc();
        return Some((begin, begin + TimeDelta::days(1)));
    }
    let formats = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    let moment = dates::moment(text).or_else(|| dates::wall(text, &formats).map(|moment| moment.and_utc()))?;
    Some((moment, moment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body;

    fn parsed(json: &str) -> Result<TrackingQuery, Vec<String>> {
        let body: Result<TrackingBody, _> = body::parse(json.as_bytes());
        body.map_err(Faults::from)
            .and_then(TrackingBody::parse)
            .map_err(|faults| faults.iter().map(|fault| fault.field.clone()).collect())
    }

    #[test]
    fn each_id_names_its_kind_of_query() {
        let query = parsed(r#"{"ctid":" a","stid":"B","gstid":"c","gstids":["d"]}"#).unwrap();
        let keys: Vec<String> = query.tracked.iter().map(|one| one.key(None)).collect();
        assert_eq!(keys, ["ctid  a", "gstid B", "gstid c", "gstid d"]);
    }

    #[test]
    fn an_id_is_one_however_it_is_written() {
        let written = r#"{"gstids":["01A209E6-BCB9-7000-A6C5-13976B56D155","01a209e6bcb97000a6c513976b56d155"]}"#;
        let keys: Vec<String> = parsed(written).unwrap().tracked.iter().map(|one| one.key(None)).collect();
        assert_eq!(keys, ["gstid 01a209e6-bcb9-7000-a6c5-13976b56d155"; 2]);
    }

    #[test]
    fn a_queried_id_has_the_length_of_an_id_that_a_send_accepts() {
        let asked = |field: &str, characters: usize| {
            let id = "\u{e9}".repeat(characters);
            parsed(&serde_json::json!({ field: id }).to_string()).map(drop)
        };
        for field in ["ctid", "stid", "gstid"] {
            assert_eq!(asked(field, 255), Ok(()));
            assert_eq!(asked(field, 256), Err(vec![field.to_owned()]));
        }
        let listed = serde_json::json!({ "gstids": ["a", "b".repeat(256)] }).to_string();
        assert_eq!(parsed(&listed), Err(vec!["gstids".to_owned()]));
    }

    #[test]
    fn a_day_is_from_midnight_to_midnight() {
        let query = parsed(r#"{"sentDate":"2026-01-31"}"#).unwrap();
        assert_eq!(query.tracked, [TrackedObject::Time]);
        assert_eq!(query.from.unwrap().to_rfc3339(), "2026-01-31T00:00:00+00:00");
        assert_eq!(query.to.unwrap().to_rfc3339(), "2026-02-01T00:00:00+00:00");
    }

    #[test]
    fn a_time_without_offset_is_utc() {
        let query = parsed(r#"{"fromDate":"2026-01-31T08:00:00","toDate":"2026-01-31T12:00:00+02:00"}"#).unwrap();
        assert_eq!(query.from.unwrap().to_rfc3339(), "2026-01-31T08:00:00+00:00");
        assert_eq!(query.to.unwrap().to_rfc3339(), "2026-01-31T10:00:00+00:00");
    }

    #[test]
    fn a_query_without_a_subject_or_with_a_wrong_value_names_its_field() {
        assert_eq!(parsed("{}"), Err(vec!["body".to_owned()]));
        for wrong in
            ["yesterday", "+262142-12-31", "-5000-01-31", "26-01-31", "26-01-31T08:15:00", "+10000-01-31T08:15:00Z"]
        {
            assert_eq!(parsed(&format!(r#"{{"sentDate":"{wrong}"}}"#)), Err(vec!["sentDate".to_owned()]), "{wrong}");
        }
        assert_eq!(parsed(r#"{"ctid":"a","showfinalstatus":"maybe"}"#), Err(vec!["showfinalstatus".to_owned()]));
    }

    #[test]
    fn a_period_that_ends_before_its_start_names_its_start() {
        let from_to = |from: &str, to: &str| parsed(&format!(r#"{{"fromDate":"{from}","toDate":"{to}"}}"#)).map(drop);
        assert_eq!(from_to("2026-01-31", "2026-01-31"), Ok(()));
        assert_eq!(from_to("2026-01-31T08:00:00Z", "2026-01-31T08:00:00Z"), Ok(()));
        assert_eq!(from_to("2026-02-01", "2026-01-31T23:59:59Z"), Err(vec!["fromDate".to_owned()]));
    }

    #[test]
    fn a_misspelled_field_is_named_and_others_are_ignored() {
        let named = |field: &str| Err(vec![field.to_owned()]);
        assert_eq!(parsed(r#"{"ctid":"a","showFinalStatus":"true"}"#).map(drop), named("showFinalStatus"));
        assert_eq!(parsed(r#"{"gstId":"a"}"#).map(drop), named("gstId"));
        assert_eq!(parsed(r#"{"ctid":"a","page":0,"source":"X"}"#).map(drop), Ok(()));
    }

    #[test]
    fn only_the_final_state_may_be_wanted() {
        assert!(parsed(r#"{"ctid":"a","showfinalstatus":"true"}"#).unwrap().only_final);
        assert!(!parsed(r#"{"ctid":"a"}"#).unwrap().only_final);
    }
}
