//! `patchbay restore`.

use std::{fs, path::Path};

use anyhow::{Context as _, bail};
use base::secrets::Sealer;
use channels::media_store::{LocalMediaStore, MediaContent, MediaStore};
use domain::ids::{ClientId, MediaId};
use serde_json::{Value, json};
use storage::{
    Db,
    backup::{self, CopiedTable, LoadTransaction},
};
use tokio::{io::AsyncReadExt, task::block_in_place};
use uuid::Uuid;

use super::{
    manifest::{BackupManifest, MediaScope, SavedTable},
    media,
    progress::{BackupProgress, mebibytes},
    source::BackupSource,
};
use settings::Settings;

use crate::{master_key, postgres::Database, process_base::unreachable};

const CHUNK: usize = 256 * 1024;

/// Restores a backup into a new database: a folder, or a tar stream on standard input if the place is `-`.
pub async fn restore(config: &Settings, place: &str) -> anyhow::Result<Value> {
    let mut progress = BackupProgress::new();
    let sealer = master_key::sealer_of_data(config)?;
    let source = block_in_place(|| match place {
        "-" => BackupSource::from_standard_input(config.data_dir()),
        folder => Ok(BackupSource::folder(Path::new(folder))),
    })?;
    let manifest = source.manifest()?;
    manifest.check_version()?;
    manifest.check_keys(&sealer.fingerprints())?;
    block_in_place(|| source.verify(&manifest, &mut progress))?;
    let database = Database::start(config).await?;
    let backup = (&source, &manifest);
    let answer = restore_to(config, database.url(), backup, &sealer, &mut progress).await;
    database.stop().await;
    answer
}

async fn restore_to(
    config: &Settings,
    url: &str,
    (source, manifest): (&BackupSource, &BackupManifest),
    sealer: &Sealer,
    progress: &mut BackupProgress,
) -> anyhow::Result<Value> {
    let db = storage::connect(url, 2).await.with_context(|| unreachable(config))?;
    backup::prepare(&db, &manifest.migrations, &manifest.partitions).await?;
    // Files come first: no row of the database may name a file that is missing.
    let files = restore_files(config, source, manifest, progress).await?;
    let rows = restore_rows(&db, source, manifest, sealer, progress).await?;
    let applied = storage::migrate(&db).await.context("the rows are restored, but the database cannot be migrated")?;
    db.close().await;
    if manifest.media == MediaScope::WithoutBucket {
        progress.show_line(
            "files of customers in a bucket are not in the backup; set `media.store` to the bucket that has them",
        );
    }
    progress.show_line(&format!("restored: {rows} rows, {files} files of customers, as of {}", manifest.taken_time));
    Ok(json!({
        "takenTime": manifest.taken_time, "schema": manifest.schema(), "applied": applied, "rows": rows, "files": files,
    }))
}

async fn restore_rows(
    db: &Db,
    source: &BackupSource,
    manifest: &BackupManifest,
    sealer: &Sealer,
    progress: &mut BackupProgress,
) -> anyhow::Result<u64> {
    let mut load = LoadTransaction::begin(db).await?;
    let tables: Vec<CopiedTable> = manifest.tables.iter().map(|saved| saved.table.clone()).collect();
    load.expect(&tables)?;
    for (number, saved) in (1..).zip(&manifest.tables) {
        let step = format!("[{number}/{}] {}", tables.len(), saved.table.name);
        fill(&mut load, source, saved, &step, progress).await?;
    }
    if !sealer.check(load.connection()).await? {
        bail!("the backup has no mark of its master key; use another backup");
    }
    progress.show_line("checking the rows against each other");
    load.commit(&manifest.sequences).await?;
    Ok(manifest.tables.iter().map(|saved| saved.rows).sum())
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

async fn restore_files(
    config: &Settings,
    source: &BackupSource,
    manifest: &BackupManifest,
    progress: &mut BackupProgress,
) -> anyhow::Result<u64> {
    let mut files = Vec::new();
    source.each_file(&manifest.sums, |path, sha256| {
        if path.starts_with(media::FOLDER) {
            files.push((path.to_owned(), sha256.to_owned()));
        }
        Ok(())
    })?;
    let store = LocalMediaStore::new(media::target(config));
    let mut restored = 0_u64;
    for (path, sha256) in files {
        let name = path.rsplit('/').next().unwrap_or_default();
        let id = Uuid::try_parse(name).with_context(|| format!("{path} is not a file of a customer"))?;
        let file = source.path(&path)?;
        let bytes = fs::read(&file).with_context(|| format!("cannot read {}", file.display()))?;
        // The name of a file does not depend on its client.
        let stored = store.put(ClientId(Uuid::nil()), MediaId(id), MediaContent::Bytes(bytes.into())).await?;
        if stored.sha256 != sha256 {
            bail!("{} was changed while it was restored; run the command again", file.display());
        }
        restored += 1;
        progress.tick(|| format!("files of customers: {restored}"));
    }
    Ok(restored)
}
