//! `patchbay audit verify`.

use anyhow::bail;
use serde_json::{Value, json};
use storage::{Db, tenancy::clients};
use tenancy::audit_trail;

use super::lists;
use crate::cli::{AuditCommand, AuditVerify};

pub(super) async fn run(db: &Db, command: AuditCommand) -> anyhow::Result<Value> {
    let AuditCommand::Verify(AuditVerify { client }) = command;
    let verified = {
        let mut connection = db.acquire().await?;
        match client {
            Some(client_ref) => vec![(lists::client(&mut connection, &client_ref).await?, client_ref)],
            None => {
                let all = clients::with_descendants(&mut connection, None).await?;
                all.into_iter().map(|one| (one.id, one.client_ref)).collect()
            }
        }
    };
    let mut shown = Vec::new();
    for (client, client_ref) in verified {
        let found = audit_trail::verify(db, client).await?;
        if let Some(fault) = found.fault {
            match fault.changed {
                Some(id) => {
                    bail!("the audit trail of client `{client_ref}`: entry {} ({id}) was changed", fault.number)
                }
                None => bail!("the audit trail of client `{client_ref}`: entry {} is missing", fault.number),
            }
        }
        shown.push(json!({
            "clientRef": client_ref,
            "intact": true,
            "entries": found.entries,
            "erased": found.erased,
            "lastHash": found.last_hash,
        }));
    }
    Ok(json!({ "clients": shown }))
}
