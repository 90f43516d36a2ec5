//! Files that agents upload before sending (SPEC 4.2 `POST /messages/media`).

use base::{Context, media};
use bytes::Bytes;
use domain::{chat::most_bytes, file_name, file_type::FileType, ids::MediaId};
use storage::inbound::media::{self as stored_media, OwnMedia};

use super::{ActingUser, DeskError};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentUpload {
    pub url: String,
    pub file_type: FileType,
    pub size: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum AgentUploadRefused {
    #[error("{0}")]
    Type(String),
    #[error("{0}")]
    TooLarge(String),
    #[error(transparent)]
    Store(#[from] media::MediaStoreError),
    #[error(transparent)]
    Desk(#[from] DeskError),
}

/// Stores a file of an agent. `declared` is its MIME type, `name` its name. An error means that nothing is stored.
pub async fn upload(
    ctx: &Context,
    acting: ActingUser,
    bytes: Bytes,
    declared: Option<&str>,
    name: Option<&str>,
) -> Result<AgentUpload, AgentUploadRefused> {
    let file_type = check_type(&bytes, declared)?;
    let id: MediaId = ctx.mint();
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let sha256 = media::keep(ctx, acting.client, id, bytes).await?;
    let filename = file_name::given(name, file_type.mime());
    let row = OwnMedia {
        id,
        mime_type: file_type.mime(),
        extension: file_type.extension(),
        filename: filename.as_deref(),
        sha256: &sha256,
        bytes: i64::try_from(size).unwrap_or(i64::MAX),
    };
    let mut db = ctx.db.acquire().await.map_err(DeskError::from)?;
    stored_media::insert_own(&mut db, acting.client, &row, ctx.now()).await.map_err(DeskError::from)?;
    Ok(AgentUpload { url: media::url_for(ctx, acting.client, id), file_type, size })
}

fn check_type(bytes: &[u8], declared: Option<&str>) -> Result<FileType, AgentUploadRefused> {
    if bytes.is_empty() {
        return Err(DeskError::fault("file", "is empty").into());
    }
    let carried = FileType::of(bytes).and_then(|file_type| Some((file_type, most_bytes(file_type)?)));
    let Some((file_type, most)) = carried else {
        let said = "this file is of no type that chats carry: send JPG, PNG, GIF, PDF, DOCX, XLSX, MP4, MP3, M4A, AAC, AMR or \
                    Ogg Opus";
        return Err(AgentUploadRefused::Type(said.to_owned()));
    };
    if let Some(declared) = declared.filter(|declared| !file_type.fits(declared)) {
        let said = format!("says that it is {declared}, and is {}", file_type.mime());
        return Err(DeskError::fault("file", said).into());
    }
    let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    if size > most {
        let said = format!("a file of type {} may have {most} bytes; this one has {size}", file_type.mime());
        return Err(AgentUploadRefused::TooLarge(said));
    }
    Ok(file_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_lies_about_its_type_or_is_of_none_is_refused() {
        assert_eq!(check_type(b"%PDF-1.4", Some("application/pdf")).unwrap(), FileType::Pdf);
        assert!(matches!(
            check_type(b"%PDF-1.4", Some("image/png")),
            Err(AgentUploadRefused::Desk(DeskError::Faults(_)))
        ));
        assert!(matches!(check_type(b"<svg>", Some("image/svg+xml")), Err(AgentUploadRefused::Type(_))));
        assert!(
            matches!(check_type(b"RIFF\0\0\0\0WAVEfmt ", None), Err(AgentUploadRefused::Type(_))),
            "a type of visitors only"
        );
        assert!(matches!(check_type(b"", None), Err(AgentUploadRefused::Desk(DeskError::Faults(_)))));
    }

    #[test]
    fn a_picture_is_taken_up_to_its_limit() {
        let picture = |length: usize| {
            let mut bytes = vec![0xff, 0xd8, 0xff];
            bytes.resize(length, 0);
            check_type(&bytes, None)
        };
        assert!(picture(5 << 20).is_ok());
        assert!(matches!(picture((5 << 20) + 1), Err(AgentUploadRefused::TooLarge(_))));
    }
}
