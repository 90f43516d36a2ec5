use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use channels::media_store::{MediaStore, MediaStoreError};
use domain::{address::Address, ids::ClientId};
use storage::{
    Db,
    personal_data::{self, KnownPerson, PersonalTable, REGISTRY, StopEntries, TableRelation, erasures},
};

use super::{
    certificate::{Certificate, ErasureAction, ErasureCounts},
    search,
};

const PAGE: i64 = 2000;
/// Rounds until rows that came during the erasure are erased, too.
const ROUNDS: u32 = 5;

/// An erasure did not end. Repeat it: it continues.
#[derive(Debug, thiserror::Error)]
pub enum EraseError {
    /// A call of a provider has begun and has no outcome yet. Nothing was erased in this round except waiting messages.
    #[error(
        "{0} messages to this person are being sent or have no known outcome. Try again in a minute; messages that \
         waited were cancelled"
    )]
    InFlight(i64),
    /// Only of an erasure that is repeated after a restore.
    #[error("rows of a person came while they were erased again; stop all other processes, then run the command again")]
    Incomplete,
    #[error("a file of this person could not be deleted")]
    File(#[from] MediaStoreError),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(EraseError: storage::Error);

/// The calls of providers that have begun for messages of the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunningCalls {
    Possible,
    /// All processes have ended, so that no outcome comes any more.
    Ended,
}

pub(super) struct ErasedPerson {
    person: KnownPerson,
    counts: ErasureCounts,
    pub(super) is_complete: bool,
}

/// An erasure to make: the person with this address.
#[derive(Debug, Clone, Copy)]
pub struct WantedErasure<'a> {
    pub address: &'a Address,
    pub stops: StopEntries,
}

/// Erases a person: cancels waiting messages, deletes files, then rows. Other processes may work at the same time. Rows
/// that they store during the erasure are found in the next round.
pub async fn erase(
    admin: &Administration<'_>,
    media: &dyn MediaStore,
    client: ClientId,
    wanted: WantedErasure<'_>,
    actor: Actor,
) -> Result<Certificate, EraseError> {
    let started_at = admin.now();
    let WantedErasure { address, stops } = wanted;
    let erased = erase_all(admin, media, client, wanted, RunningCalls::Possible).await?;
    let ErasedPerson { person, mut counts, is_complete } = erased;
    let name = search::name(admin, client, address);
    let names: Vec<String> = person.addresses().map(|one| search::name(admin, client, one)).collect();
    let mut tx = admin.db.with_patience(search::STATEMENT_TIMEOUT).begin().await?;
    for table in REGISTRY.iter().filter(|table| ErasureAction::on(table, stops) == Some(ErasureAction::Kept)) {
        counts.keep(table, personal_data::kept_stops(&mut tx, &person, table).await?);
    }
    audit(admin, &mut tx, client, actor, "erase", AuditObject::new("person", &name)).await?;
    erasures::insert(&mut tx, client, admin.mint(), stops, &names).await?;
    tx.commit().await?;
    Ok(Certificate {
        person: name,
        started_at,
        finished_at: admin.now(),
        cancelled: counts.cancelled,
        tables: counts.tables(),
        files: counts.files,
        is_complete,
    })
}

/// Erases the rows and files of a person, in small transactions.
pub(super) async fn erase_all(
    admin: &Administration<'_>,
    media: &dyn MediaStore,
    client: ClientId,
    WantedErasure { address, stops }: WantedErasure<'_>,
    calls: RunningCalls,
) -> Result<ErasedPerson, EraseError> {
    let db = admin.db.with_patience(search::STATEMENT_TIMEOUT);
    let mut counts = ErasureCounts::default();
    let mut person = search::find(&db, client, address).await?;
    for _ in 0..ROUNDS {
        let before = counts.total();
        stop_sending(&db, &person, calls, &mut counts).await?;
        delete_files(media, &person, &mut counts).await?;
        erase_rows(&db, &person, stops, &mut counts).await?;
        if counts.total() == before {
            return Ok(ErasedPerson { person, counts, is_complete: true });
        }
        person = search::find_again(&db, client, address, &person).await?;
    }
    Ok(ErasedPerson { person, counts, is_complete: false })
}

/// Cancels waiting messages. Refuses if a call of a provider has begun: its outcome would be stored for a message that is
/// gone, and the person could get a message of which nothing is known.
async fn stop_sending(
    db: &Db,
    person: &KnownPerson,
    calls: RunningCalls,
    counts: &mut ErasureCounts,
) -> Result<(), EraseError> {
    let mut tx = db.begin().await?;
    counts.cancelled += personal_data::cancel_waiting(&mut tx, person).await?;
    let in_flight = match calls {
        RunningCalls::Possible => personal_data::in_flight(&mut tx, person).await?,
        RunningCalls::Ended => 0,
    };
    tx.commit().await?;
    if in_flight > 0 { Err(EraseError::InFlight(in_flight)) } else { Ok(()) }
}

/// Files go before their rows, which name them.
async fn delete_files(
    media: &dyn MediaStore,
    person: &KnownPerson,
    counts: &mut ErasureCounts,
) -> Result<(), EraseError> {
    for file in person.files() {
        counts.files += u64::from(media.delete(person.client(), file).await?);
    }
    Ok(())
}

async fn erase_rows(
    db: &Db,
    person: &KnownPerson,
    stops: StopEntries,
    counts: &mut ErasureCounts,
) -> Result<(), EraseError> {
    let is_erased = |table: &&PersonalTable| ErasureAction::on(table, stops).is_some();
    let mut tables: Vec<&PersonalTable> = REGISTRY.iter().filter(is_erased).collect();
    tables.sort_by_key(|table| personal_data::erased_last(table));
    let mut tx = db.begin().await?;
    personal_data::release(&mut tx, person).await?;
    tx.commit().await?;
    for table in tables {
        let relations = personal_data::relations(&mut *db.acquire().await?, table).await?;
        for relation in relations {
            let relation = TableRelation { table, relation: &relation };
            let rows = erase_relation(db, person, relation, stops).await?;
            counts.add(table, stops, rows);
        }
    }
    Ok(())
}

async fn erase_relation(
    db: &Db,
    person: &KnownPerson,
    relation: TableRelation<'_>,
    stops: StopEntries,
) -> Result<u64, EraseError> {
    let mut erased = 0;
    loop {
        let mut tx = db.begin().await?;
        personal_data::begin_search(&mut tx).await?;
        let page = personal_data::erase_page(&mut tx, person, relation, stops, PAGE).await?;
        tx.commit().await?;
        erased += page;
        if page < PAGE.unsigned_abs() {
            return Ok(erased);
        }
    }
}
