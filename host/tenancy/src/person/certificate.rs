use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use storage::personal_data::{PersonalTable, RowTreatment, StopEntries, TableRule};

/// Why an erasure keeps blocklist entries and opt-outs.
pub const STOP_KEPT: &str = "keeps the wish of the person to get no messages";

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErasureAction {
    Deleted,
    /// The personal columns are empty; figures stay.
    Blanked,
    /// Mentions of the person read `erased`; the rows belong to other persons, too.
    Redacted,
    /// The rows stay for [`STOP_KEPT`], without free text.
    Kept,
}

impl ErasureAction {
    pub const ALL: [Self; 4] = [Self::Deleted, Self::Blanked, Self::Redacted, Self::Kept];

    /// The name in a certificate.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Blanked => "blanked",
            Self::Redacted => "redacted",
            Self::Kept => "kept",
        }
    }

    /// The reason of an exception.
    pub fn reason(self) -> Option<&'static str> {
        (self == Self::Kept).then_some(STOP_KEPT)
    }

    /// The action on a table; `None` if it has no rows of persons.
    pub(super) fn on(table: &PersonalTable, stops: StopEntries) -> Option<Self> {
        match table.rule {
            TableRule::Tied(_, RowTreatment::Delete | RowTreatment::DeleteMetered, _) => Some(Self::Deleted),
            TableRule::Tied(_, RowTreatment::KeepStop(_), _) => match stops {
                StopEntries::Keep => Some(Self::Kept),
                StopEntries::Erase => Some(Self::Deleted),
            },
            TableRule::Tied(_, RowTreatment::Blank(_), _) => Some(Self::Blanked),
            TableRule::Tied(_, RowTreatment::Redact(_), _) => Some(Self::Redacted),
            TableRule::Unrelated | TableRule::OfUsers | TableRule::OfFiles => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErasedTable {
    pub table: &'static str,
    pub action: ErasureAction,
    pub rows: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Certificate {
    /// A keyed hash of client and address.
    pub person: String,
    pub started_at: DateTime<Utc>,
    pub finished_at: DateTime<Utc>,
    /// Messages to the person that waited and were not sent.
    pub cancelled: u64,
    /// Every table with rows of persons, also those without a row of this one.
    pub tables: Vec<ErasedTable>,
    pub files: u64,
    /// `false` if new rows came as fast as old ones were erased. A repetition erases the rest.
    pub is_complete: bool,
}

#[derive(Debug, Default)]
pub(super) struct ErasureCounts {
    pub(super) cancelled: u64,
    pub(super) files: u64,
    rows: BTreeMap<&'static str, (Option<ErasureAction>, u64)>,
}

impl ErasureCounts {
    pub(super) fn add(&mut self, table: &PersonalTable, stops: StopEntries, rows: u64) {
        let count = self.rows.entry(table.name).or_insert((ErasureAction::on(table, stops), 0));
        count.1 += rows;
    }

    /// The rows of a table that stay, in place of those whose text was removed.
    pub(super) fn keep(&mut self, table: &PersonalTable, rows: u64) {
        self.rows.insert(table.name, (Some(ErasureAction::Kept), rows));
    }

    pub(super) fn total(&self) -> u64 {
        self.cancelled + self.files + self.rows.values().map(|(_, rows)| rows).sum::<u64>()
    }

    pub(super) fn tables(&self) -> Vec<ErasedTable> {
        let each = self.rows.iter().filter_map(|(table, (action, rows))| Some((*table, (*action)?, *rows)));
        each.map(|(table, action, rows)| ErasedTable { table, action, rows }).collect()
    }
}
