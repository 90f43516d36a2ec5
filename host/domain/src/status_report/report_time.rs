use chrono::{DateTime, Utc};

use crate::iso_time::iso_time;
use serde::{Deserialize, Serialize, Serializer};
use utoipa::ToSchema;

/// A time, as ISO 8601 in UTC with milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, format = DateTime)]
pub struct ReportTime(pub DateTime<Utc>);

impl Serialize for ReportTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&iso_time(self.0))
    }
}

impl From<DateTime<Utc>> for ReportTime {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at)
    }
}
