//! `patchbay restore`.

use std::{fs, path::Path};

use anyhow::{Context as _, bail};
use base::secrets::Sealer;
use channels::media_store::{LocalMediaStore, MediaContent, MediaStore};
use domain::ids::{ClientId, MediaId};
use serde_json::{Value, json};
use storage::{
    Db, PgConnection,
    backup::{self, CopiedTable, LoadTransaction},
};
use tokio::{io::AsyncReadExt, task::block_in_place};
use uuid::Uuid;

use super::{
    manifest::{BackupManifest, MediaScope, SavedTable},
    media,
    progress::{BackupProgress, mebibytes},
    repetition,
    source::BackupSource,
};
use settings::Settings;

use crate::{
    cli::RestoreArguments, erasure_ledger::ErasureLedger, master_key, postgres::Database, process_base::unreachable,
};

const CHUNK: usize = 256 * 1024;

/// Restores a backup into a new database: a folder, or a tar stream on standard input if the place is `-`.
pub async fn restore(config: &Settings, arguments: &RestoreArguments) -> anyhow::Result<Value> {
    let mut progress = BackupProgress::new();
    let sealer = master_key::sealer_of_data(config)?;
    let ledger = block_in_place(|| repetition::read_ledger(config, arguments, &mut progress))?;
    let source = block_in_place(|| match arguments.place.as_str() {
        "-" => BackupSource::from_standard_input(config.data_dir()),
        folder => Ok(BackupSource::folder(Path::new(folder))),
    })?;
    let manifest = source.manifest()?;
    manifest.check_version()?;
    manifest.check_keys(&sealer.fingerprints())?;
    block_in_place(|| source.verify(&manifest, &mut progress))?;
    let database = Database::start(config).await?;
    let checked = CheckedBackup { source: &source, manifest: &manifest, sealer: &sealer };
    let answer = restore_to(config, database.url(), checked, ledger, &mut progress).await;
    database.stop().await;
    answer
}

/// A backup whose files are whole, with the master key that it was made with.
#[derive(Clone, Copy)]
struct CheckedBackup<'a> {
    source: &'a BackupSource,
    manifest: &'a BackupManifest,
    sealer: &'a Sealer,
}

async fn restore_to(
    config: &Settings,
    url: &str,
    checked: CheckedBackup<'_>,
    ledger: ErasureLedger,
    progress: &mut BackupProgress,
) -> anyhow::Result<Value> {
    let CheckedBackup { source, manifest, sealer } = checked;
    let db = storage::connect(url, 2).await.with_context(|| unreachable(config))?;
    let unfinished = backup::find_unfinished(&mut *db.acquire().await?).await?;
    let saved_files = media_files(source, manifest)?;
    let files = match unfinished {
        Some(taken_time) if taken_time == manifest.taken_time => {
            backup::refuse_if_in_use(&mut *db.acquire().await?).await?;
            check_mark(sealer, &mut *db.acquire().await?).await?;
            progress.show_line(
                "the rows are restored already; going on. Files of customers are not restored again: keep the place \
                 that the first run had",
            );
            0
        }
        Some(taken_time) => bail!(
            "the database has the rows of the backup of {taken_time}, whose restore is not finished; run the command with that \
             backup, or restore into a new database"
        ),
        None => {
            backup::prepare(&db, &manifest.migrations, &manifest.partitions).await?;
            // Files come first: no row of the database may name a file that is missing.
            restore_files(config, source, &saved_files, progress).await?;
            restore_rows(&db, checked, &ledger, progress).await?;
            saved_files.len()
        }
    };
    let applied = storage::migrate(&db).await.context("the rows are restored, but the database cannot be migrated")?;
    let erased = repetition::finish(config, &db, sealer, ledger, progress).await?;
    db.close().await;
    let rows: u64 = manifest.tables.iter().map(|saved| saved.rows).sum();
    if manifest.media == MediaScope::WithoutBucket {
        progress.show_line(
            "files of customers in a bucket are not in the backup; set `media.store` to the bucket that has them",
        );
    }
    progress.show_line(&format!("restored: {rows} rows, {files} files of customers, as of {}", manifest.taken_time));
    Ok(json!({
        "takenTime": manifest.taken_time, "schema": manifest.schema(), "applied": applied, "rows": rows, "files": files,
        "erasedAgain": erased,
    }))
}

async fn restore_rows(
    db: &Db,
    CheckedBackup { source, manifest, sealer }: CheckedBackup<'_>,
    ledger: &ErasureLedger,
    progress: &mut BackupProgress,
) -> anyhow::Result<()> {
    let mut load = LoadTransaction::begin(db).await?;
    let tables: Vec<CopiedTable> = manifest.tables.iter().map(|saved| saved.table.clone()).collect();
    load.expect(&tables)?;
    for (number, saved) in (1..).zip(&manifest.tables) {
        let step = format!("[{number}/{}] {}", tables.len(), saved.table.name);
        fill(&mut load, source, saved, &step, progress).await?;
    }
    check_mark(sealer, load.connection()).await?;
    ledger.check(sealer)?;
    load.mark_unfinished(manifest.taken_time).await?;
    progress.show_line("checking the rows against each other");
    load.commit(&manifest.sequences).await?;
    Ok(())
}

async fn check_mark(sealer: &Sealer, db: &mut PgConnection) -> anyhow::Result<()> {
    if !sealer.check(db).await? {
        bail!("the backup has no mark of its master key; use another backup");
    }
    Ok(())
}

async fn fill(
    load: &mut LoadTransaction,
    source: &BackupSource,
    saved: &SavedTable,
    step: &str,
    progress: &mut BackupProgress,
) -> anyhow::Result<()> {
    let name = &saved.table.name;
    let mut table = load.fill(&saved.table).await?;
    let (mut buffer, mut bytes) = (vec![0; CHUNK], 0_u64);
    for number in 1..=saved.pieces {
        let path = source.path(&SavedTable::piece(name, number))?;
        let mut piece =
            tokio::fs::File::open(&path).await.with_context(|| format!("cannot read {}", path.display()))?;
        loop {
            let count = piece.read(&mut buffer).await.with_context(|| format!("cannot read {}", path.display()))?;
            if count == 0 {
                break;
            }
            let text = buffer.get(..count).unwrap_or_default();
            table.send(text).await.with_context(|| format!("cannot fill table {name}"))?;
            bytes += count as u64;
            progress.tick(|| format!("{step}: {}", mebibytes(bytes)));
        }
    }
    let rows = table.finish().await.with_context(|| format!("cannot fill table {name}"))?;
    if rows != saved.rows {
        bail!("table {name} has {rows} rows instead of {}; use another backup", saved.rows);
    }
    if rows > 0 {
        progress.show_line(&format!("{step}: {rows} rows"));
    }
    Ok(())
}

/// The files of customers, with their SHA-256.
fn media_files(source: &BackupSource, manifest: &BackupManifest) -> anyhow::Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    source.each_file(&manifest.sums, |path, sha256| {
        if path.starts_with(media::FOLDER) {
            files.push((path.to_owned(), sha256.to_owned()));
        }
        Ok(())
    })?;
    Ok(files)
}

async fn restore_files(
    config: &Settings,
    source: &BackupSource,
    files: &[(String, String)],
    progress: &mut BackupProgress,
) -> anyhow::Result<()> {
    let store = LocalMediaStore::new(media::target(config));
    for (before, (path, sha256)) in files.iter().enumerate() {
        let name = path.rsplit('/').next().unwrap_or_default();
        let id = Uuid::try_parse(name).with_context(|| format!("{path} is not a file of a customer"))?;
        let file = source.path(path)?;
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        // The name of a file does not depend on its client.
        let stored = store.put(ClientId(Uuid::nil()), MediaId(id), MediaContent::Bytes(bytes.into())).await?;
        if stored.sha256 != *sha256 {
            bail!("{} was changed while it was restored; run the command again", file.display());
        }
        progress.tick(|| format!("files of customers: {}", before + 1));
    }
    Ok(())
}
