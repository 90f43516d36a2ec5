//! The steps between the rows of a backup and a database that may be served: erasures are repeated, and numbers of live events
//! begin behind a gap.

use base::secrets::Sealer;
use storage::{Db, backup, live_events::streams};
use tenancy::person;

use super::progress::BackupProgress;
use crate::{
    cli::RestoreArguments,
    erasure_ledger::{self, ErasureLedger},
    media,
    process_base::Base,
};
use settings::Settings;

/// Reads the ledger of the arguments, or that of the data directory.
pub(super) fn read_ledger(
    config: &Settings,
    arguments: &RestoreArguments,
    progress: &mut BackupProgress,
) -> anyhow::Result<ErasureLedger> {
    if arguments.without_erasures {
        return Ok(ErasureLedger::default());
    }
    let own = config.data_dir().join(erasure_ledger::FILE);
    let path = arguments.erasures.as_ref().unwrap_or(&own);
    let ledger = ErasureLedger::read(path)?;
    if ledger.is_empty() {
        let path = path.display();
        progress.show_line(&format!("warning: the ledger {path} has no erasure; is it the one of the lost server?"));
    }
    Ok(ledger)
}

/// Returns the number of persons that were erased again. If it fails, it can be called again.
pub(super) async fn finish(
    config: &Settings,
    db: &Db,
    sealer: &Sealer,
    ledger: ErasureLedger,
    progress: &mut BackupProgress,
) -> anyhow::Result<u64> {
    let base = Base::of_restored(db.clone(), sealer.clone())?;
    let admin = base.administration();
    // Again, because a repeated command may name another one.
    ledger.check(sealer)?;
    let erasures = ledger.into_erasures();
    progress.show_line(&format!("comparing {} erasures of the ledger with the rows", erasures.len()));
    let store = media::store(config, db, admin.mint())?;
    let persons = person::repeat(&admin, store.as_ref(), &erasures).await?;
    let mut tx = db.begin().await?;
    streams::begin_behind_gap(&mut tx).await?;
    backup::finish(&mut tx).await?;
    tx.commit().await?;
    progress.show_line(&format!("erased again: {persons} persons"));
    Ok(persons)
}
