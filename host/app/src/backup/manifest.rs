use std::collections::BTreeSet;

use anyhow::bail;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use storage::backup::{AppliedMigration, CopiedPartition, CopiedSequence, CopiedTable, Lineage, lineage};

/// The layout of a backup. A change that this program cannot read gets the next number.
pub(super) const FORMAT: u32 = 1;

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BackupManifest {
    pub(super) format: u32,
    pub(super) program: String,
    /// The moment of all rows.
    pub(super) taken_time: DateTime<Utc>,
    /// Fingerprints of the master keys that its secrets need.
    pub(super) master_keys: BTreeSet<String>,
    pub(super) media: MediaScope,
    pub(super) tables: Vec<SavedTable>,
    pub(super) sequences: Vec<CopiedSequence>,
    pub(super) partitions: Vec<CopiedPartition>,
    pub(super) migrations: Vec<AppliedMigration>,
    pub(super) sums: Vec<SumFile>,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(super) enum MediaScope {
    Complete,
    WithoutBucket,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SavedTable {
    #[serde(flatten)]
    pub(super) table: CopiedTable,
    pub(super) rows: u64,
    pub(super) pieces: u32,
}

impl SavedTable {
    /// The path of one piece, from 1.
    pub(super) fn piece(table: &str, number: u32) -> String {
        format!("database/{table}/{number:06}.copy")
    }
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct SumFile {
    pub(super) path: String,
    pub(super) sha256: String,
}

impl BackupManifest {
    pub(super) fn schema(&self) -> i64 {
        self.migrations.last().map_or(0, |last| last.version)
    }

    pub(super) fn check_version(&self) -> anyhow::Result<()> {
        let by = &self.program;
        if self.format != FORMAT {
            bail!(
                "the backup has format {}, and this program reads format {FORMAT}; restore it with Patchbay {by}",
                self.format
            );
        }
        match lineage(&self.migrations) {
            Lineage::Same | Lineage::Older => Ok(()),
            Lineage::Newer => bail!(
                "the backup has schema {}, which is newer than this program; restore it with Patchbay {by} or a later version",
                self.schema()
            ),
            Lineage::Other { version } => bail!(
                "migration {version} of the backup is not that of this program; restore it with the build of Patchbay that made it ({by})"
            ),
        }
    }

    /// Fails if the secrets of the backup need a key that is not among these fingerprints.
    pub(super) fn check_keys(&self, present: &BTreeSet<String>) -> anyhow::Result<()> {
        let Some(missing) = self.master_keys.difference(present).next() else { return Ok(()) };
        let present: Vec<&str> = present.iter().map(String::as_str).collect();
        bail!(
            "the secrets of the backup are sealed with the master key {missing}, and this installation has {}. Put the \
             `master.key` of the old installation into `data_dir`, or set `security.master_key` to its value",
            present.join(" and ")
        );
    }
}
