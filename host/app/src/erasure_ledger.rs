//! The ledger: a copy of the finished erasures in a file outside of the database, from which a restore repeats those that are newer
//! than the backup (ADR 0077). Each process adds the erasures of all processes. A line holds keyed hashes and no address.

use std::{
    collections::HashSet,
    fs::{DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use base::{Context, secrets::Sealer};
use chrono::{DateTime, TimeDelta, Utc};
use domain::ids::ClientId;
use serde::{Deserialize, Serialize};
use settings::Settings;
use storage::{
    Db,
    personal_data::{
        StopEntries,
        erasures::{self, FinishedErasure},
    },
};
use tenancy::person;
use tokio::{task::block_in_place, time::MissedTickBehavior};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The name of the ledger in the data directory.
pub(crate) const FILE: &str = "erasures.jsonl";
/// Interval between two searches for new erasures.
const SEARCH_INTERVAL: Duration = Duration::from_secs(5);
/// An erasure is committed at most so long after its time.
const COMMITTED_WITHIN: TimeDelta = TimeDelta::hours(1);

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct LedgerLine {
    installation: String,
    client: Uuid,
    id: Uuid,
    erased_time: DateTime<Utc>,
    with_stops: bool,
    /// Keyed hashes of the addresses.
    person: Vec<String>,
}

impl LedgerLine {
    fn of(installation: &str, erasure: &FinishedErasure) -> Self {
        Self {
            installation: installation.to_owned(),
            client: erasure.client.0,
            id: erasure.id,
            erased_time: erasure.erased_at,
            with_stops: erasure.stops == StopEntries::Erase,
            person: erasure.person_names.clone(),
        }
    }

    fn into_erasure(self) -> FinishedErasure {
        FinishedErasure {
            client: ClientId(self.client),
            id: self.id,
            erased_at: self.erased_time,
            stops: if self.with_stops { StopEntries::Erase } else { StopEntries::Keep },
            person_names: self.person,
        }
    }
}

/// The ledger that a restore reads. Without one it is empty.
#[derive(Debug, Default)]
pub(crate) struct ErasureLedger {
    path: PathBuf,
    lines: Vec<LedgerLine>,
}

impl ErasureLedger {
    /// Reads a ledger. A last line may have been cut off while it was written. Then it is left out.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => bail!(
                "there is no ledger of erasures at {}: persons that were erased after the backup would come back. Copy `{FILE}` \
                 from the data directory of a node, or name it with --erasures. If it is lost, add --without-erasures and \
                 erase these persons again",
                path.display()
            ),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let (whole, end) = text.rsplit_once('\n').unwrap_or(("", text.as_str()));
        let mut lines = Vec::new();
        for (number, line) in (1..).zip(whole.lines()) {
            let read = serde_json::from_str(line).with_context(|| {
                let path = path.display();
                format!("line {number} of {path} cannot be read; use the `{FILE}` of another node, or remove the line")
            });
            lines.push(read?);
        }
        lines.extend(serde_json::from_str::<LedgerLine>(end).ok());
        Ok(Self { path: path.to_owned(), lines })
    }

    /// Refuses a ledger of another installation, whose hashes name other persons. The sealer has checked the database.
    pub(crate) fn check(&self, sealer: &Sealer) -> anyhow::Result<()> {
        let installation = person::installation(sealer);
        let other = (1..).zip(&self.lines).find(|(_, line)| line.installation != installation);
        if let Some((number, _)) = other {
            bail!(
                "line {number} of {} is of another installation than the backup; use the `{FILE}` of the same installation",
                self.path.display()
            );
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(crate) fn into_erasures(self) -> Vec<FinishedErasure> {
        self.lines.into_iter().map(LedgerLine::into_erasure).collect()
    }
}

/// Adds new erasures of the database to a file.
#[derive(Debug)]
pub(crate) struct LedgerWriter {
    path: PathBuf,
    installation: String,
    /// The ids in the file when it was last open here.
    known: Option<HashSet<Uuid>>,
    searched_until: Option<DateTime<Utc>>,
}

impl LedgerWriter {
    /// The sealer has checked the database.
    pub(crate) fn new(path: &Path, sealer: &Sealer) -> Self {
        let installation = person::installation(sealer);
        Self { path: path.to_owned(), installation, known: None, searched_until: None }
    }

    /// Returns the number of added erasures. The file is made if it is missing.
    pub(crate) async fn add_new(&mut self, db: &Db) -> anyhow::Result<usize> {
        let found = erasures::find_since(&mut *db.acquire().await?, self.searched_until).await?;
        let has_all = |known: &HashSet<Uuid>| found.iter().all(|erasure| known.contains(&erasure.id));
        let added = if self.known.as_ref().is_some_and(has_all) { 0 } else { self.add(&found)? };
        if let Some(last) = found.last() {
            self.searched_until = Some(last.erased_at - COMMITTED_WITHIN);
        }
        Ok(added)
    }

    fn add(&mut self, found: &[FinishedErasure]) -> anyhow::Result<usize> {
        let lines: Vec<LedgerLine> = found.iter().map(|erasure| LedgerLine::of(&self.installation, erasure)).collect();
        let (known, added) = block_in_place(|| add_lines(&self.path, &lines))
            .with_context(|| format!("cannot write the ledger of erasures {}", self.path.display()))?;
        self.known = Some(known);
        Ok(added)
    }
}

/// Adds erasures to the ledger of the data directory until the process stops. The file exists when this returns, if it can be made.
pub(crate) fn start(config: &Settings, ctx: &Context, stop: CancellationToken) {
    let mut writer = LedgerWriter::new(&config.data_dir().join(FILE), &ctx.sealer);
    if let Err(error) = writer.add(&[]) {
        log_failure(&error);
    }
    tokio::spawn(follow(writer, ctx.db.clone(), stop));
}

async fn follow(mut writer: LedgerWriter, db: Db, stop: CancellationToken) {
    let mut turns = tokio::time::interval(SEARCH_INTERVAL);
    turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut has_failed = false;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = turns.tick() => {}
        }
        let added = writer.add_new(&db).await;
        if let Err(error) = &added
            && !has_failed
        {
            log_failure(error);
        }
        has_failed = added.is_err();
    }
}

fn log_failure(error: &anyhow::Error) {
    tracing::error!("erasures are not copied into the ledger, which a restore needs: {error:#}");
}

/// No process adds lines while it reads.
fn read_text(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    file.lock_shared()?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok(text)
}

/// Removes a line that was cut off, and adds the lines whose ids the file does not have, while it has the file alone: several processes
/// add to it. Returns the ids that are then in the file, and the number of added lines.
fn add_lines(path: &Path, lines: &[LedgerLine]) -> io::Result<(HashSet<Uuid>, usize)> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    // Until the file is closed.
    file.lock()?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    if whole < bytes.len() {
        file.set_len(whole as u64)?;
    }
    let present = bytes.get(..whole).unwrap_or_default().split(|byte| *byte == b'\n');
    // A restore names a line that cannot be read. Here it is no reason not to serve.
    let mut ids: HashSet<Uuid> =
        present.filter_map(|line| serde_json::from_slice::<LedgerLine>(line).ok()).map(|line| line.id).collect();
    let (mut text, mut added) = (String::new(), 0);
    for line in lines {
        if ids.insert(line.id) {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
            added += 1;
        }
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok((ids, added))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const LINE: &str = r#"{"installation":"a","client":"00000000-0000-0000-0000-000000000001","id":"00000000-0000-0000-0000-000000000002","erasedTime":"2026-11-22T09:30:00Z","withStops":false,"person":["b"]}"#;

    #[test]
    fn a_last_line_that_was_cut_off_is_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, format!("{LINE}\n{}", &LINE[..40])).unwrap();
        assert_eq!(ErasureLedger::read(&path).unwrap().lines.len(), 1);
    }

    #[test]
    fn a_last_line_that_was_cut_off_is_removed_by_the_next_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, format!("{LINE}\n{}", &LINE[..40])).unwrap();

        let (known, added) = add_lines(&path, &[]).unwrap();

        assert_eq!((known, added), (HashSet::from([Uuid::from_u128(2)]), 0));
        assert_eq!(fs::read_to_string(&path).unwrap(), format!("{LINE}\n"));
    }

    #[test]
    fn an_erasure_that_another_process_has_added_is_not_added_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let lines = [serde_json::from_str::<LedgerLine>(LINE).unwrap()];
        assert_eq!(add_lines(&path, &lines).unwrap().1, 1);

        let (_, added) = add_lines(&path, &lines).unwrap();

        assert_eq!(added, 0);
        assert_eq!(ErasureLedger::read(&path).unwrap().lines.len(), 1);
    }

    #[test]
    fn a_line_that_cannot_be_read_is_refused_with_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        fs::write(&path, format!("{LINE}\nnothing\n{LINE}\n")).unwrap();
        let refused = ErasureLedger::read(&path).unwrap_err().to_string();
        assert!(refused.contains("line 2 of"), "{refused}");
    }
}
