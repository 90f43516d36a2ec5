//! Files that clients send by link: fetched through the guarded client, and given to WhatsApp.

use std::time::Duration;

use channels::{
    http::{FetchedFile, PostError},
    whatsapp_lite::REFUSED_BY_DEVICE,
};
use domain::{carriage::SendFailure, content::MediaKind, ids::ClientId, inbound::ProviderFailure};
use whatsapp_rust::{Client, UploadOptions};

use super::{
    file::media_type,
    outgoing_message::{DeviceUpload, usual_mime},
    parts::NativeSettings,
};

/// When to check again for a file whose server does not answer.
const LATER: Duration = Duration::from_secs(30);

fn refusal(text: String) -> SendFailure {
    SendFailure::Rejected(ProviderFailure { code: REFUSED_BY_DEVICE, text })
}

fn not_fetched(error: &PostError) -> SendFailure {
    let text = format!("the file cannot be fetched: {error}");
    match error {
        PostError::Refused(_) | PostError::Invalid(_) | PostError::BodyTooLarge { .. } => refusal(text),
        PostError::Connect(_) | PostError::Timeout | PostError::Excessive(_) | PostError::Other(_) => {
            SendFailure::NotSent { reason: text, after: Some(LATER) }
        }
    }
}

fn status_failure(status: u16) -> SendFailure {
    let text = format!("the server of the file answered {status}");
    match status {
        408 | 429 | 500.. => SendFailure::NotSent { reason: text, after: Some(LATER) },
        _ => refusal(text),
    }
}

/// The type of a file: as its server says, without the parameters that only texts have.
fn mime_of(kind: MediaKind, said: Option<&str>) -> String {
    let said = said.map(str::trim).filter(|mime| !mime.is_empty() && !mime.starts_with("application/octet-stream"));
    match (kind, said) {
        // Phones show a voice note as such when it is called by its whole name.
        (MediaKind::Voice, Some(mime)) if mime.starts_with("audio/ogg") => usual_mime(kind).to_owned(),
        (_, Some(mime)) => mime.to_owned(),
        (_, None) => usual_mime(kind).to_owned(),
    }
}

/// Fetches a file and gives it to WhatsApp. Nothing was sent when that fails.
pub(super) async fn upload(
    settings: &NativeSettings,
    client: &Client,
    owner: ClientId,
    kind: MediaKind,
    url: &str,
) -> Result<DeviceUpload, SendFailure> {
    let http = settings.http.on_behalf_of(owner);
    let fetched = http.fetch(url, settings.most_bytes, settings.allow_private).await;
    let FetchedFile { status, content_type, body } = fetched.map_err(|error| not_fetched(&error))?;
    if !(200..300).contains(&status) {
        return Err(status_failure(status));
    }
    let taken = client.upload(body.to_vec(), media_type(kind), UploadOptions::new()).await;
    let taken = taken.map_err(|error| {
        let reason = format!("WhatsApp did not take the file: {error}");
        SendFailure::NotSent { reason, after: Some(LATER) }
    })?;
    Ok(DeviceUpload {
        url: taken.url,
        direct_path: taken.direct_path,
        media_key: taken.media_key,
        file_sha256: taken.file_sha256,
        file_enc_sha256: taken.file_enc_sha256,
        file_length: taken.file_length,
        media_key_timestamp: taken.media_key_timestamp,
        streaming_sidecar: taken.streaming_sidecar,
        mime: mime_of(kind, content_type.as_deref()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_may_exist_later_is_tried_again_and_a_missing_one_is_refused() {
        for status in [408, 429, 500, 503] {
            assert!(matches!(status_failure(status), SendFailure::NotSent { .. }), "{status}");
        }
        for status in [301, 400, 403, 404, 410] {
            assert!(matches!(status_failure(status), SendFailure::Rejected(_)), "{status}");
        }
        assert!(matches!(not_fetched(&PostError::Timeout), SendFailure::NotSent { .. }));
        assert!(matches!(not_fetched(&PostError::BodyTooLarge { limit: 1 }), SendFailure::Rejected(_)));
    }

    #[test]
    fn the_type_of_a_file_comes_from_its_server_if_it_gives_one() {
        assert_eq!(mime_of(MediaKind::Image, Some("image/png")), "image/png");
        assert_eq!(mime_of(MediaKind::Image, Some("application/octet-stream")), "image/jpeg");
        assert_eq!(mime_of(MediaKind::Document, None), "application/octet-stream");
        assert_eq!(mime_of(MediaKind::Voice, Some("audio/ogg")), "audio/ogg; codecs=opus");
    }
}
