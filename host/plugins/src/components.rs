//! Gives the plugin host the uploaded components from the database.

use std::error::Error;

use async_trait::async_trait;
use domain::ids::ClientId;
use plugin_host::ComponentSource;
use storage::{Db, plugins::versions};

#[derive(Debug, Clone)]
pub struct DatabaseComponents(Db);

impl DatabaseComponents {
    pub fn new(db: Db) -> Self {
        Self(db)
    }
}

#[async_trait]
impl ComponentSource for DatabaseComponents {
    async fn bytes(&self, client: ClientId, sha256: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        let mut db = self.0.acquire().await?;
        Ok(versions::bytes(&mut db, client, sha256).await?)
    }
}
