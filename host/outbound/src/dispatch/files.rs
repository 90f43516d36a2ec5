//! Files of a client are sent with the message if the provider cannot fetch them from `server.public_url`.

use std::sync::Arc;

use async_trait::async_trait;
use base::{Context, media};
use channels::{
    carrier::{FileUnavailable, OurFile, OurFiles},
    media_store::MediaStore,
};
use domain::ids::{ClientId, MediaId};
use storage::{
    Db,
    inbound::media::{self as stored_media, MediaRecord, MediaState},
};

pub(super) struct ClientFiles {
    client: ClientId,
    db: Db,
    store: Arc<dyn MediaStore>,
    public_url: String,
    can_be_fetched: bool,
}

impl ClientFiles {
    pub(super) fn new(ctx: &Context, client: ClientId) -> Self {
        let public_url = ctx.settings.server.public_base().to_owned();
        let can_be_fetched = media::can_be_fetched(&public_url);
        Self { client, db: ctx.db.clone(), store: Arc::clone(&ctx.media), public_url, can_be_fetched }
    }

    pub(super) fn db(&self) -> &Db {
        &self.db
    }

    pub(super) async fn describe(&self, url: &str) -> Option<(String, String)> {
        let (owner, id) = media::below(&self.public_url, url)??;
        let file = self.find_stored(id).await.ok().flatten().filter(|_| owner == self.client)?;
        let name = media::name_of(&file, "file");
        Some((file.mime_type, name))
    }

    async fn find_stored(&self, id: MediaId) -> storage::Result<Option<MediaRecord>> {
        let mut db = self.db.acquire().await?;
        stored_media::find(&mut db, self.client, id).await
    }
}

fn yet(error: impl std::fmt::Display) -> FileUnavailable {
    FileUnavailable::Yet(error.to_string())
}

#[async_trait]
impl OurFiles for ClientFiles {
    async fn media_type(&self, url: &str) -> Option<String> {
        self.describe(url).await.map(|(media_type, _)| media_type)
    }

    async fn open(&self, url: &str) -> Result<Option<OurFile>, FileUnavailable> {
        if self.can_be_fetched {
            return Ok(None);
        }
        let Some(named) = media::below(&self.public_url, url) else { return Ok(None) };
        // A chatbot may name any address, so a file of another client counts as missing.
        let id = named.filter(|(owner, _)| *owner == self.client).map(|(_, id)| id);
        let id = id.ok_or(FileUnavailable::Ever("does not belong to this account"))?;
        let file = self.find_stored(id).await.map_err(yet)?.ok_or(FileUnavailable::Ever("is not kept any more"))?;
        match file.state {
            MediaState::Ready => {}
            MediaState::Pending => return Err(yet("it is still being fetched from the customer")),
            MediaState::Failed => return Err(FileUnavailable::Ever("could not be fetched from the customer")),
        }
        let content = self.store.open(self.client, id).await.map_err(yet)?;
        let content = content.ok_or(FileUnavailable::Ever("is not kept any more"))?;
        let filename = media::name_of(&file, "file");
        Ok(Some(OurFile { content, mime_type: file.mime_type, filename }))
    }
}
