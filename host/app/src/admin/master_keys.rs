//! `patchbay master-key rotate`.

use std::io::Write;

use anyhow::bail;
use base::key_rotation;
use serde_json::{Value, json};
use settings::Settings;
use storage::backup::sessions_of_others;

use crate::{master_key, process_base::Base};

/// Seals all secrets with the new key. If the key is a file, the first call makes the new one.
pub(super) async fn rotate(config: &Settings, url: &str) -> anyhow::Result<Value> {
    let is_file = config.security.master_key.is_empty();
    let mut base = Base::open(config, url).await?;
    if !base.sealer.has_previous() {
        if !is_file {
            bail!(
                "there is one master key only. Make a new one with `openssl rand -base64 32`; on all nodes set \
                 `security.master_key` to it and `security.previous_master_key` to the present key, restart the nodes, \
                 then run the command again"
            );
        }
        master_key::renew(config.data_dir())?;
        if sessions_of_others(&mut *base.db.acquire().await?).await? > 0 {
            bail!(
                "`master.key` in {} is a new key now, and `master.key.previous` is the one before. Restart `patchbay serve` and \
                 `patchbay work`, so that they have both, then run the command again",
                config.data_dir().display()
            );
        }
        base.db.close().await;
        base = Base::open(config, url).await?;
    }
    let report = key_rotation::rotate(&base.db, &base.sealer, |line| {
        // A closed standard error does not end the command.
        let _ = writeln!(std::io::stderr(), "{line}");
    })
    .await?;
    base.db.close().await;
    if report.unreadable > 0 {
        bail!(
            "{} rows have a secret that neither key opens; standard error names their columns. Keep the previous key, and set \
             these secrets again",
            report.unreadable
        );
    }
    let remove = if is_file { "the file `master.key.previous`" } else { "`security.previous_master_key`" };
    Ok(json!({
        "resealed": report.resealed,
        "next": format!("remove {remove}, and restart all processes"),
    }))
}
