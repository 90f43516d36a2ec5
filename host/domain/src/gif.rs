//! GIF files. WhatsApp Cloud takes none as an image, and its uploads take none at all (PROVIDERS A.6).

use crate::{
    file_name,
    inbox::InboxKind,
    media_type::{essence, extension_of},
};

/// The fault of a GIF on WhatsApp Cloud, and its cure.
pub const FAULT: &str = "is a GIF, which WhatsApp does not carry: send it as an MP4 video, a PNG or a JPEG";

/// The fault of a file of ours that an inbox of this kind does not carry.
pub fn fault_of(kind: InboxKind, media_type: &str) -> Option<&'static str> {
    (kind == InboxKind::WhatsappCloud && essence(media_type) == "image/gif").then_some(FAULT)
}

/// True if the end of a link names a GIF.
pub fn is_named_by(link: &str) -> bool {
    let name = file_name::of_link(link);
    name.as_deref().and_then(extension_of).is_some_and(|extension| extension.eq_ignore_ascii_case("gif"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gif_is_no_file_for_whatsapp_cloud() {
        for media_type in ["image/gif", "Image/GIF; x=y"] {
            assert_eq!(fault_of(InboxKind::WhatsappCloud, media_type), Some(FAULT), "{media_type}");
        }
        assert_eq!(fault_of(InboxKind::WhatsappCloud, "image/png"), None);
        for kind in InboxKind::ALL.into_iter().filter(|kind| *kind != InboxKind::WhatsappCloud) {
            assert_eq!(fault_of(kind, "image/gif"), None, "{kind:?}");
        }
    }

    #[test]
    fn the_end_of_a_link_names_a_gif() {
        for link in ["https://a.example/a.gif", "https://a.example/x/A.GIF?width=1#top"] {
            assert!(is_named_by(link), "{link}");
        }
        for link in
            ["https://a.example/a.gif.png", "https://a.example/gif", "https://a.gif/", "https://a.example/?a.gif"]
        {
            assert!(!is_named_by(link), "{link}");
        }
    }
}
