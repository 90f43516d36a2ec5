use storage::Db;

/// Ticks of the processor clock per second, as Linux counts them in `/proc`.
const CLOCK: f64 = 100.0;

pub struct Meter {
    postmaster: i32,
}

#[derive(Debug, Clone, Copy)]
pub struct Used {
    pub processor: f64,
    pub wal: f64,
    pub stored: f64,
}

impl Meter {
    pub async fn new(db: &Db) -> Self {
        let backend: i32 = sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(db).await.unwrap();
        Self { postmaster: fields(backend).unwrap()[1] as i32 }
    }

    /// Everything since the cluster began, including ended processes.
    pub async fn read(&self, db: &Db) -> Used {
        let wal: i64 = sqlx::query_scalar("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint")
            .fetch_one(db)
            .await
            .unwrap();
        let of_ended = fields(self.postmaster).unwrap();
        let mut ticks = of_ended[11] + of_ended[12] + of_ended[13] + of_ended[14];
        for entry in std::fs::read_dir("/proc").unwrap() {
            let name = entry.unwrap().file_name();
            let Some(process) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
            match fields(process) {
                Some(of_child) if of_child[1] as i32 == self.postmaster => ticks += of_child[11] + of_child[12],
                _ => {}
            }
        }
        Used { processor: ticks as f64 / CLOCK, wal: wal as f64, stored: 0.0 }
    }
}

/// The numbers of `/proc/<pid>/stat` from the third field on; user and system time are 11 and 12, of children 13, 14.
fn fields(process: i32) -> Option<Vec<i64>> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, numbers) = text.rsplit_once(')')?;
    Some(numbers.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
}

impl Used {
    pub fn since(self, before: Self) -> Self {
        Self { processor: self.processor - before.processor, wal: self.wal - before.wal, stored: self.stored }
    }

    pub fn per(self, statuses: usize) -> Self {
        let factor = 100_000.0 / statuses as f64;
        Self { processor: self.processor * factor, wal: self.wal * factor, stored: self.stored * factor }
    }
}
