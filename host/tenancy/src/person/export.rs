use base::{
    Result,
    audit::{Actor, Administration, AuditObject, audit},
};
use chrono::{DateTime, Utc};
use domain::{
    address::Address,
    ids::{ClientId, MediaId},
};
use storage::personal_data::{self, REGISTRY, TableRows};

use super::search;

#[derive(Debug)]
pub struct Export {
    /// The name of the person in certificates and in the audit trail.
    pub person: String,
    pub exported_at: DateTime<Utc>,
    pub addresses: Vec<Address>,
    pub tables: Vec<TableRows>,
    pub files: Vec<ExportedFile>,
}

/// A file of a person. Its name and type are in the rows of table `media`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportedFile {
    pub id: MediaId,
}

pub async fn export(admin: &Administration<'_>, client: ClientId, address: &Address, actor: Actor) -> Result<Export> {
    let db = admin.db.with_patience(search::STATEMENT_TIMEOUT);
    let person = search::find(&db, client, address).await?;
    let name = search::name(admin, client, address);
    let mut tables = Vec::new();
    for table in REGISTRY {
        let mut tx = db.begin().await?;
        personal_data::begin_search(&mut tx).await?;
        let found = personal_data::rows(&mut tx, &person, table).await?;
        tx.commit().await?;
        tables.extend(found.filter(|found| !found.rows.is_empty()));
    }
    let mut tx = db.begin().await?;
    audit(admin, &mut tx, client, actor, "export", AuditObject::new("person", &name)).await?;
    tx.commit().await?;
    Ok(Export {
        person: name,
        exported_at: admin.now(),
        addresses: person.addresses().cloned().collect(),
        tables,
        files: person.files().map(|id| ExportedFile { id }).collect(),
    })
}
