//! The change of the master key while processes work.
//!
//! 1. All processes get the new key, and the one before as the previous key. They still seal with the previous key, as the mark of
//!    the database says.
//! 2. [`rotate`] puts the mark under the new key. The processes follow it ([`follow`]) and seal with the new key.
//! 3. [`rotate`] seals all older values again. It can be interrupted and repeated at any time.
//! 4. The operator removes the previous key.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use domain::ids::ClientId;
use plugin_host::{SEALED, replace_sealed};
use serde_json::Value;
use storage::{
    Db, PgConnection,
    tenancy::sealed_columns::{self, SealedColumn, SealedForm, SealedRow},
};
use tokio_util::sync::CancellationToken;

use crate::secrets::{MasterKeyError, SealError, Sealer, SecretPurpose};

const CHECK_INTERVAL: Duration = Duration::from_secs(2);
/// Time for all processes to seal with the new key.
const SETTLED_AFTER: Duration = Duration::from_secs(5);

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RotationReport {
    pub resealed: u64,
    /// Rows with a value that neither key opens. They stay as they are.
    pub unreadable: u64,
}

const fn purpose(column: SealedColumn) -> SecretPurpose {
    match column {
        SealedColumn::ApiKey => SecretPurpose::ApiKey,
        SealedColumn::CloudAccessToken | SealedColumn::PageAccessToken | SealedColumn::AccountAccessToken => {
            SecretPurpose::AccessToken
        }
        SealedColumn::CloudAppSecret | SealedColumn::PageAppSecret | SealedColumn::AccountAppSecret => {
            SecretPurpose::AppSecret
        }
        SealedColumn::SiteIdentity => SecretPurpose::SiteIdentity,
        SealedColumn::SmsPassword => SecretPurpose::SmsPassword,
        SealedColumn::WebhookSecret | SealedColumn::PreviousWebhookSecret | SealedColumn::OlderWebhookSecrets => {
            SecretPurpose::WebhookSecret
        }
        SealedColumn::LiteDeviceValue => SecretPurpose::LiteDevice,
        SealedColumn::ActivationConfig | SealedColumn::PastActivationConfig | SealedColumn::SharedPluginSecret => {
            SecretPurpose::PluginSecret
        }
        SealedColumn::PluginRequest => SecretPurpose::PluginRequest,
    }
}

/// Seals all values of the database with the current key. `progress` gets a line for each column with older values.
pub async fn rotate(
    db: &Db,
    sealer: &Sealer,
    mut progress: impl FnMut(&str) + Send,
) -> Result<RotationReport, MasterKeyError> {
    let mut db = db.acquire().await?;
    sealer.switch(&mut db).await?;
    let mut resealed = 0;
    loop {
        let pass = reseal_all(&mut db, sealer, &mut progress).await?;
        resealed += pass.resealed;
        // A process that has not seen the new mark may seal with the previous key after the read of its column.
        tokio::time::sleep(SETTLED_AFTER).await;
        let again = reseal_all(&mut db, sealer, &mut progress).await?;
        resealed += again.resealed;
        if again.resealed == 0 {
            return Ok(RotationReport { resealed, unreadable: again.unreadable });
        }
    }
}

/// Lets a process with two master keys seal with the one that the database names, until `stop`.
pub async fn follow(db: Db, sealer: Sealer, stop: CancellationToken) {
    if !sealer.has_previous() {
        return;
    }
    let mut look = tokio::time::interval(CHECK_INTERVAL);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = look.tick() => {}
        }
        let Ok(mut db) = db.acquire().await else { continue };
        if let Err(error) = sealer.check(&mut db).await {
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the master key of the database cannot be checked"
            );
        }
    }
}

async fn reseal_all(
    db: &mut PgConnection,
    sealer: &Sealer,
    progress: &mut (impl FnMut(&str) + Send),
) -> Result<RotationReport, MasterKeyError> {
    let mut all = RotationReport::default();
    for column in SealedColumn::ALL {
        let report = match column.form() {
            SealedForm::One | SealedForm::List => reseal_values(db, sealer, column).await?,
            SealedForm::Json => reseal_documents(db, sealer, column).await?,
        };
        all.resealed += report.resealed;
        all.unreadable += report.unreadable;
        if report != RotationReport::default() {
            let (table, name) = column.place();
            let RotationReport { resealed, unreadable } = report;
            progress(&format!("{table}.{name}: {resealed} rows sealed again, {unreadable} unreadable"));
        }
    }
    Ok(all)
}

async fn reseal_values(
    db: &mut PgConnection,
    sealer: &Sealer,
    column: SealedColumn,
) -> Result<RotationReport, MasterKeyError> {
    let (current, mut report, mut last) = (sealer.current_prefix(), RotationReport::default(), None);
    loop {
        let page = sealed_columns::values(db, column, last.as_deref(), &current).await?;
        for row in &page {
            match resealed_values(sealer, column, row) {
                Ok(new) => {
                    let replaced = sealed_columns::replace_values(db, column, row, &new).await?;
                    report.resealed += u64::from(replaced);
                }
                Err(SealError::NoRandomness) => return Err(MasterKeyError::Seal(SealError::NoRandomness)),
                Err(_) => report.unreadable += 1,
            }
        }
        match page.into_iter().last() {
            Some(row) => last = Some(row.place),
            None => return Ok(report),
        }
    }
}

fn resealed_values(
    sealer: &Sealer,
    column: SealedColumn,
    row: &SealedRow<Vec<Vec<u8>>>,
) -> Result<Vec<Vec<u8>>, SealError> {
    let reseal = |old: &Vec<u8>| Ok(sealer.reseal(row.client, purpose(column), old)?.unwrap_or_else(|| old.clone()));
    row.content.iter().map(reseal).collect()
}

async fn reseal_documents(
    db: &mut PgConnection,
    sealer: &Sealer,
    column: SealedColumn,
) -> Result<RotationReport, MasterKeyError> {
    let (mut report, mut last) = (RotationReport::default(), None);
    loop {
        let page = sealed_columns::documents(db, column, last.as_deref(), SEALED).await?;
        for row in &page {
            match resealed_document(sealer, purpose(column), row.client, &row.content) {
                Ok(Some(new)) => {
                    let replaced = sealed_columns::replace_document(db, column, row, &new).await?;
                    report.resealed += u64::from(replaced);
                }
                Ok(None) => {}
                Err(SealError::NoRandomness) => return Err(MasterKeyError::Seal(SealError::NoRandomness)),
                Err(_) => report.unreadable += 1,
            }
        }
        match page.into_iter().last() {
            Some(row) => last = Some(row.place),
            None => return Ok(report),
        }
    }
}

/// A document with its sealed values under the current key; `None` if they are already. Only the sealed values change in the text: a
/// number keeps all its digits.
fn resealed_document(
    sealer: &Sealer,
    purpose: SecretPurpose,
    client: ClientId,
    text: &str,
) -> Result<Option<String>, SealError> {
    let document: Value = serde_json::from_str(text).map_err(|_| SealError::Unreadable)?;
    let mut changed = None;
    replace_sealed(&document, "", &mut |_, old| {
        let bytes = STANDARD.decode(old).map_err(|_| SealError::Unreadable)?;
        if let Some(new) = sealer.reseal(client, purpose, &bytes)? {
            let present = changed.as_deref().unwrap_or(text);
            changed = Some(present.replace(old, &STANDARD.encode(new)));
        }
        Ok(Value::Null)
    })?;
    Ok(changed)
}
