//! A session that copies: nothing limits the time that the other side of a pipe or a disk takes.

use crate::{Db, PgConnection, Result};

/// Plans are for whole tables, and a float keeps all digits. `row_security = off` fails instead of leaving rows out.
const OF_A_COPY: &str = "SET idle_in_transaction_session_timeout = 0; SET tcp_user_timeout = 0; \
     SET enable_seqscan = on; SET enable_hashjoin = on; SET enable_mergejoin = on; \
     SET extra_float_digits = 3; SET row_security = off";

pub(super) async fn open(pool: &Db) -> Result<PgConnection> {
    let mut db = pool.acquire().await?.detach();
    sqlx::raw_sql(OF_A_COPY).execute(&mut db).await?;
    Ok(db)
}
