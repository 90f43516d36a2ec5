//! `patchbay backup`.

use std::path::Path;

use anyhow::{Context as _, bail};
use base::secrets::Sealer;
use chrono::SubsecRound as _;
use futures::TryStreamExt;
use serde_json::json;
use storage::{
    Db,
    backup::{CopiedTable, DatabaseSnapshot, Lineage, find_unfinished, lineage},
};
use tokio::task::block_in_place;

use super::{
    archive::ArchiveWriter,
    manifest::{BackupManifest, FORMAT, SavedTable},
    media,
    progress::{BackupProgress, mebibytes},
};
use settings::Settings;

use crate::{master_key, postgres::Database, process_base::unreachable};

const PIECE: usize = 16 * 1024 * 1024;

/// Makes a backup while the service runs. `place` is a new folder, or `-` for a tar stream on standard output.
pub async fn save(config: &Settings, place: &str) -> anyhow::Result<String> {
    let database = Database::connect_for_admin(config).await?;
    let answer = save_from(config, database.url(), place).await;
    database.stop().await;
    answer
}

async fn save_from(config: &Settings, url: &str, place: &str) -> anyhow::Result<String> {
    let db = storage::connect(url, 2).await.with_context(|| unreachable(config))?;
    let answer = save_all(config, &db, place).await;
    db.close().await;
    answer
}

async fn save_all(config: &Settings, db: &Db, place: &str) -> anyhow::Result<String> {
    let sealer = master_key::sealer_of_data(config)?;
    let mut progress = BackupProgress::new();
    let mut snapshot = DatabaseSnapshot::begin(db).await?;
    check_source(&mut snapshot, &sealer).await?;
    let mut archive = match place {
        "-" => ArchiveWriter::stream()?,
        folder => ArchiveWriter::folder(Path::new(folder))?,
    };
    let contents = snapshot.contents().clone();
    let mut tables = Vec::with_capacity(contents.tables.len());
    for (number, table) in (1..).zip(&contents.tables) {
        let step = format!("[{number}/{}] {}", contents.tables.len(), table.name);
        tables.push(save_table(&mut snapshot, table, &mut archive, &step, &mut progress).await?);
    }
    let sequences = snapshot.sequences().await?;
    snapshot.end().await?;
    media::check_folder(config, &tables)?;
    let media = block_in_place(|| media::save(config, &mut archive, &mut progress))?;
    let rows: u64 = tables.iter().map(|table| table.rows).sum();
    let manifest = BackupManifest {
        format: FORMAT,
        program: env!("CARGO_PKG_VERSION").to_owned(),
        taken_time: contents.taken_at.trunc_subsecs(3),
        master_keys: sealer.fingerprints_in_use(),
        media,
        tables,
        sequences,
        partitions: contents.partitions,
        migrations: contents.migrations,
        sums: Vec::new(),
        files: 0,
        bytes: 0,
    };
    let (schema, taken_time) = (manifest.schema(), manifest.taken_time);
    let (files, bytes) = block_in_place(|| archive.finish(manifest))?;
    progress.show_line(&format!("complete: {rows} rows, {files} files, {}", mebibytes(bytes)));
    if place == "-" {
        return Ok(String::new());
    }
    let answer = json!({
        "backup": place, "takenTime": taken_time, "schema": schema, "rows": rows, "files": files, "bytes": bytes,
    });
    Ok(format!("{answer}\n"))
}

/// Refuses a database if this program does not know its schema, or if the configured key does not open its secrets.
async fn check_source(snapshot: &mut DatabaseSnapshot, sealer: &Sealer) -> anyhow::Result<()> {
    let schema = snapshot.contents().migrations.last().map_or(0, |last| last.version);
    match lineage(&snapshot.contents().migrations) {
        Lineage::Same | Lineage::Older => {}
        Lineage::Newer | Lineage::Other { .. } => bail!(
            "the database has schema {schema}, which this program does not know; make the backup with the version of \
             Patchbay that serves the database"
        ),
    }
    if find_unfinished(snapshot.connection()).await?.is_some() {
        bail!("the restore of this database is not finished; run `patchbay restore` with the same backup again");
    }
    if !sealer.check(snapshot.connection()).await? {
        bail!("the database has no master key yet: Patchbay has not run on it, so there is nothing to back up");
    }
    Ok(())
}

async fn save_table(
    snapshot: &mut DatabaseSnapshot,
    table: &CopiedTable,
    archive: &mut ArchiveWriter,
    step: &str,
    progress: &mut BackupProgress,
) -> anyhow::Result<SavedTable> {
    let (mut rows, mut bytes, mut pieces, mut piece) = (0_u64, 0_u64, 0, Vec::new());
    let mut put = |piece: &mut Vec<u8>, pieces: &mut u32| {
        *pieces += 1;
        let path = SavedTable::piece(&table.name, *pieces);
        let written = block_in_place(|| archive.put(&path, piece.len() as u64, &mut piece.as_slice()));
        piece.clear();
        written
    };
    let mut text = snapshot.rows(table).await.with_context(|| format!("cannot read table {}", table.name))?;
    while let Some(chunk) = text.try_next().await.with_context(|| format!("cannot read table {}", table.name))? {
        rows += chunk.iter().filter(|byte| **byte == b'\n').count() as u64;
        bytes += chunk.len() as u64;
        piece.extend_from_slice(&chunk);
        if piece.len() >= PIECE {
            put(&mut piece, &mut pieces)?;
            progress.tick(|| format!("{step}: {rows} rows, {}", mebibytes(bytes)));
        }
    }
    if !piece.is_empty() {
        put(&mut piece, &mut pieces)?;
    }
    if rows > 0 {
        progress.show_line(&format!("{step}: {rows} rows, {}", mebibytes(bytes)));
    }
    Ok(SavedTable { table: table.clone(), rows, pieces })
}
