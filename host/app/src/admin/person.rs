//! The commands `patchbay person ...`: export and erasure of the data of one person.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context as _, bail};
use base::audit::Actor;
use channels::media_store::MediaStore;
use domain::{
    address::Address,
    ids::{ClientId, MediaId},
    phone::{Bsuid, Msisdn},
};
use serde_json::{Value, json};
use tenancy::person::{self, Certificate, ErasedTable, Leftovers, REWRITTEN_MOST, StopEntries, WantedErasure};
use tokio::{fs::OpenOptions, io::AsyncWriteExt};

use super::lists;
use settings::Settings;

use crate::{
    cli::{GivenAddress, GivenPerson, PersonCommand, PersonErase, PersonExport, RewriteScope},
    erasure_ledger::{self, LedgerWriter},
    media,
    process_base::Base,
};

pub(super) async fn run(config: &Settings, base: &Base, command: PersonCommand) -> anyhow::Result<Value> {
    match command {
        PersonCommand::Export(export) => export_person(config, base, export).await,
        PersonCommand::Erase(erase) => erase_person(config, base, erase).await,
        PersonCommand::Rewrite(rewrite) => Ok(json!({ "storage": rewritten(base, rewrite.rewrite).await? })),
        PersonCommand::Ledger(ledger) => add_to_ledger(base, &ledger.file).await,
    }
}

async fn find(base: &Base, given: &GivenPerson) -> anyhow::Result<(ClientId, Address)> {
    let address = address(&given.address)?;
    let client = lists::client(&mut *base.db.acquire().await?, &given.client).await?;
    Ok((client, address))
}

/// The values stay out of the errors, which may be logged.
fn address(given: &GivenAddress) -> anyhow::Result<Address> {
    match (&given.number, &given.user_id) {
        (Some(number), None) => Ok(Msisdn::parse(number).context("--number")?.into()),
        (None, Some(user_id)) => Ok(Bsuid::parse(user_id).context("--user-id")?.into()),
        _ => bail!("give --number or --user-id"),
    }
}

async fn export_person(config: &Settings, base: &Base, export: PersonExport) -> anyhow::Result<Value> {
    let (client, address) = find(base, &export.person).await?;
    let exported = person::export(&base.administration(), client, &address, Actor::Operator).await?;
    let mut files = Vec::new();
    if let Some(folder) = &export.files {
        tokio::fs::create_dir_all(folder).await.with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let store = store(config, base)?;
    for file in &exported.files {
        let written = match &export.files {
            Some(folder) => write_file(store.as_ref(), client, file.id, folder).await?,
            None => None,
        };
        files.push(json!({ "id": file.id, "file": written }));
    }
    let addresses = exported.addresses.iter().map(|one| json!({ "kind": one.kind().as_str(), "value": one.value() }));
    let tables: BTreeMap<&str, Vec<Value>> =
        exported.tables.into_iter().map(|table| (table.table, table.rows)).collect();
    Ok(json!({
        "clientRef": export.person.client,
        "person": exported.person,
        "exportedTime": lists::time(exported.exported_at),
        "addresses": addresses.collect::<Vec<_>>(),
        "tables": tables,
        "files": files,
    }))
}

/// Writes a file into the folder, readable by this user only. `None` if the store does not have it.
async fn write_file(
    store: &dyn MediaStore,
    client: ClientId,
    id: MediaId,
    folder: &Path,
) -> anyhow::Result<Option<String>> {
    let Some(mut open) = store.open(client, id).await? else { return Ok(None) };
    let path = folder.join(id.to_string());
    let writing = || format!("cannot write {}", path.display());
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut file = options.open(&path).await.with_context(writing)?;
    tokio::io::copy(&mut open.reader, &mut file).await.with_context(writing)?;
    file.flush().await.with_context(writing)?;
    Ok(Some(path.display().to_string()))
}

async fn erase_person(config: &Settings, base: &Base, erase: PersonErase) -> anyhow::Result<Value> {
    let (client, address) = find(base, &erase.person).await?;
    let store = store(config, base)?;
    let admin = base.administration();
    let stops = if erase.with_stops { StopEntries::Erase } else { StopEntries::Keep };
    let wanted = WantedErasure { address: &address, stops };
    let certificate = person::erase(&admin, store.as_ref(), client, wanted, Actor::Operator).await?;
    // Also here, because no server may be running, and the ledger must have the erasure.
    if let Err(error) = add_to_ledger(base, &config.data_dir().join(erasure_ledger::FILE)).await {
        tracing::error!("the erasure is not copied into the ledger, which a restore needs: {error:#}");
    }
    let mut shown = certificate_json(&erase.person.client, &certificate);
    if let Some(fields) = shown.as_object_mut() {
        fields.insert("storage".to_owned(), rewritten(base, erase.rewrite).await?);
    }
    Ok(shown)
}

async fn add_to_ledger(base: &Base, file: &Path) -> anyhow::Result<Value> {
    let added = LedgerWriter::new(file, &base.sealer).add_new(&base.db).await?;
    Ok(json!({ "file": file, "added": added }))
}

fn certificate_json(client_ref: &str, certificate: &Certificate) -> Value {
    let table = |one: &ErasedTable| match one.action.reason() {
        Some(reason) => {
            json!({ "table": one.table, "action": one.action.as_str(), "rows": one.rows, "reason": reason })
        }
        None => json!({ "table": one.table, "action": one.action.as_str(), "rows": one.rows }),
    };
    json!({
        "clientRef": client_ref,
        "person": certificate.person,
        "startedTime": lists::time(certificate.started_at),
        "finishedTime": lists::time(certificate.finished_at),
        "complete": certificate.is_complete,
        "cancelledMessages": certificate.cancelled,
        "files": certificate.files,
        "tables": certificate.tables.iter().map(table).collect::<Vec<_>>(),
    })
}

async fn rewritten(base: &Base, rewriting: RewriteScope) -> anyhow::Result<Value> {
    let most = match rewriting {
        RewriteScope::None => {
            return Ok(json!({
                "clean": false,
                "left": ["erased bytes stay in free space and in the write-ahead log until `patchbay person rewrite`"],
            }));
        }
        RewriteScope::Small => REWRITTEN_MOST,
        RewriteScope::All => u64::MAX,
    };
    let done = person::rewrite(&base.db, most).await?;
    Ok(json!({
        "clean": done.is_clean(),
        "rewritten": done.rewritten,
        "notRewritten": done.not_rewritten,
        "left": describe_leftovers(&done),
    }))
}

fn describe_leftovers(done: &Leftovers) -> Vec<String> {
    let mut left = Vec::new();
    if !done.not_rewritten.is_empty() {
        left.push(
            "free space of the tables in `notRewritten`: run `patchbay person rewrite` at a quiet time".to_owned(),
        );
    }
    if done.seen_by_others {
        left.push("rows that an old transaction may see: end it and run `patchbay person rewrite`".to_owned());
    }
    if !done.statistics_renewed {
        left.push("statistics of PostgreSQL: run `patchbay person rewrite` as a superuser of the database".to_owned());
    }
    if !done.log_emptied {
        left.push(
            "the write-ahead log, until it is recycled: the role may not run CHECKPOINT and pg_switch_wal".to_owned(),
        );
    }
    if done.log_segments_kept > 0 {
        left.push(format!("{} segments of the log that a replica or an archive needs", done.log_segments_kept));
    }
    left
}

fn store(config: &Settings, base: &Base) -> anyhow::Result<std::sync::Arc<dyn MediaStore>> {
    media::store(config, &base.db, base.administration().mint())
}
