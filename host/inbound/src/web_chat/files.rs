//! Files that visitors upload. A file belongs to its visitor until a message refers to it.

use base::{Context, Error, media as addresses};
use bytes::Bytes;
use channels::media_store::{MediaContent, MediaStoreError};
use domain::{
    file_name,
    file_type::FileType,
    ids::MediaId,
    web_chat::{FileRefused, judge_file},
};
use storage::{
    inbound::media::{self, NewMedia, ReadyMedia},
    web::sites::Site,
};

use super::token::VisitorToken;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisitorUpload {
    pub id: MediaId,
    pub kind: FileType,
    pub bytes: u64,
    /// An address that expires.
    pub url: String,
}

#[derive(Debug, thiserror::Error)]
pub enum VisitorUploadRefused {
    #[error(transparent)]
    File(#[from] FileRefused),
    #[error(transparent)]
    Store(#[from] MediaStoreError),
    #[error(transparent)]
    Failed(#[from] Error),
}

base::fails_with!(VisitorUploadRefused: storage::Error);

/// A file as a visitor sends it.
#[derive(Debug, Clone)]
pub struct OfferedFile<'a> {
    pub content_type: &'a str,
    /// The visitor's name for it.
    pub name: Option<String>,
    pub bytes: Bytes,
}

/// Stores a file.
pub async fn upload(
    ctx: &Context,
    site: &Site,
    from: &VisitorToken,
    OfferedFile { content_type, name, bytes }: OfferedFile<'_>,
) -> Result<VisitorUpload, VisitorUploadRefused> {
    let kind = judge_file(&bytes, content_type)?;
    let id: MediaId = ctx.mint();
    let stored = ctx.media.put(site.client, id, MediaContent::Bytes(bytes)).await?;
    let new = NewMedia {
        id,
        inbox: site.id,
        provider_media_id: media::uploaded_by(&from.visitor.to_string()),
        source_url: None,
        mime_type: kind.mime().to_owned(),
        extension: kind.extension().to_owned(),
        filename: file_name::given(name.as_deref(), kind.mime()),
        sha256: None,
    };
    let size = i64::try_from(stored.bytes).unwrap_or(i64::MAX);
    let mut tx = ctx.db.begin().await?;
    media::insert(&mut tx, site.client, &new, ctx.now()).await?;
    let ready = ReadyMedia { id, sha256: &stored.sha256, bytes: size, judged: None };
    media::mark_ready(&mut tx, site.client, ready).await?;
    tx.commit().await?;
    Ok(VisitorUpload { id, kind, bytes: stored.bytes, url: addresses::url_for(ctx, site.client, id) })
}
