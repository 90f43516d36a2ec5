use base::{
    Error,
    audit::{Actor, Administration, AuditObject, audit},
};
use domain::ids::ClientId;
use storage::{
    Db,
    tenancy::{
        clients,
        credits::{self, PREFIX_MAX},
    },
};

const AMOUNT_MAX: i64 = 1_000_000_000;

#[derive(Debug, thiserror::Error)]
pub enum CreditsError {
    #[error("there is no client `{0}`; `patchbay client create` makes one")]
    UnknownClient(String),
    #[error("an amount is a whole number from 1 to {AMOUNT_MAX}")]
    BadAmount,
    #[error("a prefix is 1 to {PREFIX_MAX} digits of a country code, such as 27")]
    BadPrefix,
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(CreditsError: storage::Error);

pub async fn add(admin: &Administration<'_>, client_ref: &str, amount: i64, actor: Actor) -> Result<i64, CreditsError> {
    if !(1..=AMOUNT_MAX).contains(&amount) {
        return Err(CreditsError::BadAmount);
    }
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    let balance = credits::top_up(&mut tx, client, admin.mint(), amount, admin.now()).await?;
    audit(admin, &mut tx, client, actor, "add", AuditObject::new("credits", &amount)).await?;
    tx.commit().await?;
    Ok(balance)
}

pub async fn set_price(
    admin: &Administration<'_>,
    client_ref: &str,
    prefix: &str,
    price: i32,
    actor: Actor,
) -> Result<(), CreditsError> {
    if price < 1 {
        return Err(CreditsError::BadAmount);
    }
    if !(1..=PREFIX_MAX).contains(&prefix.len()) || !prefix.bytes().all(|one| one.is_ascii_digit()) {
        return Err(CreditsError::BadPrefix);
    }
    let mut tx = admin.db.begin().await?;
    let client = find_client(&mut tx, client_ref).await?;
    credits::set_price(&mut tx, client, prefix, price).await?;
    audit(admin, &mut tx, client, actor, "set", AuditObject::new("sms-price", prefix)).await?;
    tx.commit().await?;
    Ok(())
}

pub async fn balance(db: &Db, client: ClientId) -> base::Result<i64> {
    let mut db = db.acquire().await?;
    Ok(credits::balance(&mut db, client).await?)
}

async fn find_client(db: &mut storage::PgConnection, client_ref: &str) -> Result<ClientId, CreditsError> {
    let found = clients::find_by_ref(db, client_ref).await?;
    found.ok_or_else(|| CreditsError::UnknownClient(client_ref.to_owned()))
}
