//! The files of the page, in the binary. The libraries and the values of the design are those of the console.

pub(super) const INDEX: &str = include_str!("../../page/index.html");
pub(super) const VISITOR_PAGE: &str = include_str!("../../page/visitor.html");

struct Asset {
    path: &'static str,
    kind: &'static str,
    bytes: &'static [u8],
}

/// A file of the folder `page`.
macro_rules! own {
    ($kind:literal, $($path:literal),+ $(,)?) => {
        [$(Asset { path: $path, kind: $kind, bytes: include_bytes!(concat!("../../page/", $path)) }),+]
    };
}

/// A file of the folder `console`.
macro_rules! shared {
    ($kind:literal, $($path:literal from $file:literal),+ $(,)?) => {
        [$(Asset { path: $path, kind: $kind, bytes: include_bytes!(concat!("../../../../console/", $file)) }),+]
    };
}

static SCRIPTS: &[Asset] = &own!(
    "text/javascript; charset=utf-8",
    "app.js",
    "bubble.js",
    "call.js",
    "channels/addresses.js",
    "channels/channel.js",
    "channels/messenger.js",
    "channels/model.js",
    "channels/sms.js",
    "channels/telegram.js",
    "channels/whatsapp.js",
    "channels/whatsapp_message.js",
    "composer.js",
    "content.js",
    "faults.js",
    "files.js",
    "forms.js",
    "host_clock.js",
    "icons.js",
    "live.js",
    "panel.js",
    "phone.js",
    "settings.js",
    "sheets.js",
    "theme.js",
    "thread.js",
    "visitor.js",
    "wire.js",
);

static STYLES: &[Asset] = &own!(
    "text/css; charset=utf-8",
    "css/composer.css",
    "css/content.css",
    "css/page.css",
    "css/panel.css",
    "css/phone.css",
    "css/thread.css",
    "css/visitor.css",
);

static PICTURES: &[Asset] = &own!("image/svg+xml", "icon.svg");
static VOICES: &[Asset] = &own!("audio/ogg", "samples/voice.ogg");
static CLIPS: &[Asset] = &own!("video/mp4", "samples/clip.mp4");
static DOCUMENTS: &[Asset] = &own!("application/pdf", "samples/menu.pdf");

static LIBRARIES: &[Asset] = &shared!(
    "text/javascript; charset=utf-8",
    "vendor/htm.js" from "vendor/htm.js",
    "vendor/htm-preact.js" from "vendor/htm-preact.js",
    "vendor/preact.js" from "vendor/preact.js",
    "vendor/preact-hooks.js" from "vendor/preact-hooks.js",
    "vendor/signals.js" from "vendor/signals.js",
    "vendor/signals-core.js" from "vendor/signals-core.js",
);

static DESIGN: &[Asset] = &shared!("text/css; charset=utf-8", "tokens.css" from "ui/tokens.css");

/// Type and bytes of a file.
pub(super) fn find(path: &str) -> Option<(&'static str, &'static [u8])> {
    let all = [SCRIPTS, STYLES, PICTURES, VOICES, CLIPS, DOCUMENTS, LIBRARIES, DESIGN];
    let found = all.into_iter().flatten().find(|asset| asset.path == path)?;
    Some((found.kind, found.bytes))
}
