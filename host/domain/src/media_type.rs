//! Media types and their file extensions, to make file names, to check them and to read the ends of links.

/// A media type with its extensions, the usual one first. A type with several spellings has one row for each.
type Row = (&'static str, &'static [&'static str]);

const TABLE: &[Row] = &[
    ("image/jpeg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/jpg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/pjpeg", &["jpg", "jpeg", "jpe", "jfif"]),
    ("image/png", &["png"]),
    ("image/x-png", &["png"]),
    ("image/gif", &["gif"]),
    ("image/webp", &["webp"]),
    ("image/heic", &["heic", "heif"]),
    ("image/heif", &["heif", "heic"]),
    ("image/avif", &["avif"]),
    ("image/bmp", &["bmp", "dib"]),
    ("image/x-ms-bmp", &["bmp", "dib"]),
    ("image/tiff", &["tif", "tiff"]),
    ("image/svg+xml", &["svg", "svgz"]),
    ("image/x-icon", &["ico"]),
    ("image/vnd.microsoft.icon", &["ico"]),
    ("image/vnd.adobe.photoshop", &["psd"]),
    ("video/mp4", &["mp4", "m4v", "mp4v", "mpg4"]),
    ("video/x-m4v", &["m4v", "mp4"]),
    ("video/3gpp", &["3gp", "3gpp"]),
    ("video/3gpp2", &["3g2"]),
    ("video/quicktime", &["mov", "qt"]),
    ("video/webm", &["webm"]),
    ("video/mpeg", &["mpg", "mpeg", "mpe"]),
    ("video/ogg", &["ogv"]),
    ("video/x-matroska", &["mkv"]),
    ("video/x-msvideo", &["avi"]),
    ("video/avi", &["avi"]),
    ("video/x-ms-wmv", &["wmv"]),
    ("video/x-flv", &["flv"]),
    ("audio/mpeg", &["mp3", "mpga", "mp2", "mp2a"]),
    ("audio/mp3", &["mp3"]),
    ("audio/mpeg3", &["mp3"]),
    ("audio/x-mpeg", &["mp3"]),
    ("audio/x-mp3", &["mp3"]),
    ("audio/mp4", &["m4a", "mp4", "mp4a", "m4b"]),
    ("audio/m4a", &["m4a", "mp4"]),
    ("audio/x-m4a", &["m4a", "mp4"]),
    ("audio/mp4a-latm", &["m4a", "mp4"]),
    ("audio/aac", &["aac", "adts"]),
    ("audio/x-aac", &["aac", "adts"]),
    ("audio/aacp", &["aac"]),
    ("audio/amr", &["amr"]),
    ("audio/amr-wb", &["awb", "amr"]),
    ("audio/3gpp", &["3gp", "3gpp"]),
    ("audio/ogg", &["ogg", "oga", "opus", "spx"]),
    ("audio/opus", &["opus", "ogg", "oga"]),
    ("audio/vorbis", &["ogg", "oga"]),
    ("application/ogg", &["ogg", "oga", "ogv", "ogx", "opus"]),
    ("audio/wav", &["wav"]),
    ("audio/wave", &["wav"]),
    ("audio/x-wav", &["wav"]),
    ("audio/vnd.wave", &["wav"]),
    ("audio/webm", &["weba", "webm"]),
    ("audio/flac", &["flac"]),
    ("audio/x-flac", &["flac"]),
    ("audio/x-ms-wma", &["wma"]),
    ("audio/midi", &["mid", "midi"]),
    ("application/pdf", &["pdf"]),
    ("application/x-pdf", &["pdf"]),
    ("application/acrobat", &["pdf"]),
    ("application/vnd.pdf", &["pdf"]),
    ("text/pdf", &["pdf"]),
    ("text/x-pdf", &["pdf"]),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", &["docx"]),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.template", &["dotx"]),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", &["xlsx"]),
    ("application/vnd.openxmlformats-officedocument.spreadsheetml.template", &["xltx"]),
    ("application/vnd.openxmlformats-officedocument.presentationml.presentation", &["pptx"]),
    ("application/vnd.openxmlformats-officedocument.presentationml.slideshow", &["ppsx"]),
    ("application/vnd.openxmlformats-officedocument.presentationml.template", &["potx"]),
    ("application/vnd.ms-word.document.macroenabled.12", &["docm"]),
    ("application/vnd.ms-excel.sheet.macroenabled.12", &["xlsm"]),
    ("application/vnd.ms-excel.sheet.binary.macroenabled.12", &["xlsb"]),
    ("application/vnd.ms-powerpoint.presentation.macroenabled.12", &["pptm"]),
    // Office programs use these types for their newer formats too, and Windows labels CSV as an Excel sheet.
    ("application/msword", &["doc", "dot", "docx", "rtf"]),
    ("application/vnd.ms-word", &["doc", "dot", "docx"]),
    ("application/vnd.ms-excel", &["xls", "xlt", "xla", "xlsx", "csv"]),
    ("application/msexcel", &["xls", "xlsx", "csv"]),
    ("application/x-msexcel", &["xls", "xlsx", "csv"]),
    ("application/x-excel", &["xls", "xlsx", "csv"]),
    ("application/vnd.ms-powerpoint", &["ppt", "pps", "pot", "pptx", "ppsx"]),
    ("application/mspowerpoint", &["ppt", "pps", "pot", "pptx"]),
    ("application/vnd.ms-outlook", &["msg"]),
    ("application/vnd.ms-project", &["mpp"]),
    ("application/vnd.visio", &["vsd"]),
    ("application/vnd.oasis.opendocument.text", &["odt"]),
    ("application/vnd.oasis.opendocument.spreadsheet", &["ods"]),
    ("application/vnd.oasis.opendocument.presentation", &["odp"]),
    ("application/vnd.oasis.opendocument.graphics", &["odg"]),
    ("application/vnd.apple.pages", &["pages"]),
    ("application/vnd.apple.numbers", &["numbers"]),
    ("application/vnd.apple.keynote", &["key"]),
    ("application/rtf", &["rtf"]),
    ("text/rtf", &["rtf"]),
    ("application/epub+zip", &["epub"]),
    ("application/postscript", &["ps", "eps", "ai"]),
    (
        "text/plain",
        &[
            "txt", "text", "csv", "tsv", "log", "md", "ini", "conf", "json", "xml", "yaml", "yml", "srt", "ics", "vcf",
            "eml",
        ],
    ),
    ("text/csv", &["csv"]),
    ("application/csv", &["csv"]),
    ("text/comma-separated-values", &["csv"]),
    ("text/tab-separated-values", &["tsv"]),
    ("text/markdown", &["md", "markdown"]),
    ("text/html", &["html", "htm"]),
    ("application/xhtml+xml", &["xhtml", "xht"]),
    ("text/css", &["css"]),
    ("text/javascript", &["js", "mjs"]),
    ("application/javascript", &["js", "mjs"]),
    ("application/x-javascript", &["js"]),
    ("application/json", &["json"]),
    ("text/json", &["json"]),
    ("application/ld+json", &["jsonld", "json"]),
    ("application/geo+json", &["geojson", "json"]),
    ("application/xml", &["xml", "xsd", "xsl", "rss"]),
    ("text/xml", &["xml", "xsd", "xsl", "rss"]),
    ("application/yaml", &["yaml", "yml"]),
    ("text/yaml", &["yaml", "yml"]),
    ("text/calendar", &["ics", "ifb"]),
    ("text/vcard", &["vcf", "vcard"]),
    ("text/x-vcard", &["vcf", "vcard"]),
    ("text/directory", &["vcf"]),
    ("message/rfc822", &["eml", "mht"]),
    ("application/gpx+xml", &["gpx"]),
    ("application/vnd.google-earth.kml+xml", &["kml"]),
    ("application/vnd.google-earth.kmz", &["kmz"]),
    // Formats that are ZIP archives inside often keep their own extension.
    (
        "application/zip",
        &["zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub", "kmz", "pages", "numbers", "key"],
    ),
    ("application/x-zip", &["zip", "docx", "xlsx", "pptx"]),
    ("application/x-zip-compressed", &["zip", "docx", "xlsx", "pptx"]),
    ("multipart/x-zip", &["zip"]),
    ("application/vnd.rar", &["rar"]),
    ("application/x-rar", &["rar"]),
    ("application/x-rar-compressed", &["rar"]),
    ("application/rar", &["rar"]),
    ("application/x-7z-compressed", &["7z"]),
    ("application/gzip", &["gz", "tgz"]),
    ("application/x-gzip", &["gz", "tgz"]),
    ("application/x-tar", &["tar"]),
    ("application/x-bzip2", &["bz2"]),
    ("application/x-xz", &["xz"]),
    ("application/zstd", &["zst"]),
    ("application/java-archive", &["jar"]),
    ("application/vnd.android.package-archive", &["apk"]),
    ("application/x-msdownload", &["exe", "dll"]),
    ("application/vnd.microsoft.portable-executable", &["exe", "dll"]),
    ("application/x-apple-diskimage", &["dmg"]),
    ("application/x-iso9660-image", &["iso"]),
    ("application/x-sh", &["sh"]),
    ("application/pkcs7-signature", &["p7s"]),
    ("application/pgp-signature", &["asc", "sig"]),
    ("application/x-x509-ca-cert", &["crt", "cer", "der"]),
    ("image/vnd.dwg", &["dwg"]),
    ("application/acad", &["dwg"]),
    ("application/dxf", &["dxf"]),
    ("image/vnd.dxf", &["dxf"]),
    ("image/x-adobe-dng", &["dng"]),
    ("image/jxl", &["jxl"]),
    ("image/jp2", &["jp2"]),
    ("image/emf", &["emf"]),
    ("image/wmf", &["wmf"]),
    ("audio/aiff", &["aif", "aiff"]),
    ("audio/x-aiff", &["aif", "aiff"]),
    ("audio/basic", &["au", "snd"]),
    ("audio/x-caf", &["caf"]),
    ("video/mp2t", &["ts", "mts", "m2ts"]),
    ("video/x-ms-asf", &["asf"]),
    ("application/mp4", &["mp4", "m4a"]),
    ("application/vnd.ms-xpsdocument", &["xps"]),
    ("application/vnd.ms-publisher", &["pub"]),
    ("application/x-mspublisher", &["pub"]),
    ("application/msaccess", &["mdb", "accdb"]),
    ("application/vnd.ms-access", &["mdb", "accdb"]),
    ("application/x-msaccess", &["mdb", "accdb"]),
    ("application/onenote", &["one"]),
    ("application/vnd.oasis.opendocument.text-template", &["ott"]),
    ("application/x-mobipocket-ebook", &["mobi"]),
    ("application/vnd.amazon.ebook", &["azw"]),
    ("application/x-shockwave-flash", &["swf"]),
    ("application/sql", &["sql"]),
    ("application/x-sql", &["sql"]),
    ("application/x-sqlite3", &["sqlite", "db"]),
    ("application/vnd.sqlite3", &["sqlite", "db"]),
    ("application/toml", &["toml"]),
    ("application/wasm", &["wasm"]),
    ("application/vnd.debian.binary-package", &["deb"]),
    ("application/x-rpm", &["rpm"]),
    ("application/x-lzh-compressed", &["lzh"]),
    ("application/x-bittorrent", &["torrent"]),
    ("application/vnd.apple.pkpass", &["pkpass"]),
    ("application/pkix-cert", &["cer", "crt"]),
    ("application/x-pkcs12", &["p12", "pfx"]),
    ("application/pkcs7-mime", &["p7m"]),
    ("application/x-subrip", &["srt"]),
    ("text/vtt", &["vtt"]),
    ("text/x-python", &["py"]),
    ("model/stl", &["stl"]),
    ("model/gltf-binary", &["glb"]),
    ("font/ttf", &["ttf"]),
    ("font/otf", &["otf"]),
    ("font/woff", &["woff"]),
    ("font/woff2", &["woff2"]),
];

/// Types that say nothing about a file. Programs send them if they do not know the type or want to force a download.
const GENERIC: &[&str] = &[
    "",
    "*/*",
    "application/octet-stream",
    "application/octetstream",
    "application/binary",
    "application/download",
    "application/force-download",
    "application/x-download",
    "application/x-force-download",
    "application/x-octet-stream",
    "application/unknown",
    "application/x-unknown",
    "application/*",
    "application/x-binary",
    "binary/octet-stream",
    "unknown/unknown",
    "content/unknown",
    "attachment/octet-stream",
    "multipart/form-data",
    "application/x-www-form-urlencoded",
];

pub const UNKNOWN_EXTENSION: &str = "bin";
/// Longest extension, in characters. A longer ending is part of the name.
const EXTENSION_MAX: usize = 8;

/// Type and subtype in lower case, without parameters.
pub fn essence(media_type: &str) -> String {
    let plain = media_type.split([';', ',']).next().unwrap_or_default();
    plain.trim_matches(|c: char| c.is_whitespace() || c == '"').to_ascii_lowercase()
}

pub fn is_generic(media_type: &str) -> bool {
    let essence = essence(media_type);
    GENERIC.contains(&essence.as_str()) || !essence.contains('/')
}

fn row(essence: &str) -> Option<&'static [&'static str]> {
    TABLE.iter().find(|(name, _)| *name == essence).map(|(_, extensions)| *extensions)
}

/// The usual extension of a media type. `None` for a generic or unknown type.
pub fn usual_extension(media_type: &str) -> Option<&'static str> {
    row(&essence(media_type))?.first().copied()
}

/// True if files of a media type have this extension. An unknown type allows all extensions.
pub fn has_extension(media_type: &str, extension: &str) -> bool {
    let lower = extension.to_ascii_lowercase();
    row(&essence(media_type)).is_none_or(|known| known.contains(&lower.as_str()))
}

pub fn is_known_with(media_type: &str, extension: &str) -> bool {
    row(&essence(media_type)).is_some_and(|known| known.contains(&extension))
}

/// The media type of files with this extension. `opus` gives `audio/ogg`, the type that providers accept.
pub fn of_extension(extension: &str) -> Option<&'static str> {
    let lower = extension.to_ascii_lowercase();
    if lower == "opus" {
        return Some("audio/ogg");
    }
    let usual = TABLE.iter().find(|(_, known)| known.first() == Some(&lower.as_str()));
    usual.or_else(|| TABLE.iter().find(|(_, known)| known.contains(&lower.as_str()))).map(|(name, _)| *name)
}

/// The part of a name after its last dot, if it can be an extension. Its case is kept.
pub fn extension_of(name: &str) -> Option<&str> {
    let (stem, end) = name.rsplit_once('.')?;
    let plausible = (1..=EXTENSION_MAX).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (plausible && !stem.is_empty()).then_some(end)
}

/// The extension of the name if it fits the media type or if the type is generic, else the usual one of the type.
pub fn extension_for(media_type: &str, name: Option<&str>) -> String {
    let named = name.and_then(extension_of).map(str::to_ascii_lowercase);
    let named = named.filter(|end| has_extension(media_type, end));
    named.unwrap_or_else(|| usual_extension(media_type).unwrap_or(UNKNOWN_EXTENSION).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_has_the_extension_that_people_expect() {
        for (media_type, extension) in [
            ("application/vnd.ms-excel", "xls"),
            ("application/vnd.ms-powerpoint", "ppt"),
            ("application/msword", "doc"),
            ("application/octet-stream", "bin"),
            ("binary/octet-stream", "bin"),
            ("application/xml", "xml"),
            ("text/xml; charset=utf-8", "xml"),
            ("image/jpg", "jpg"),
            ("IMAGE/JPEG", "jpg"),
            ("image/tiff", "tif"),
            ("audio/opus", "opus"),
            ("audio/ogg; codecs=opus", "ogg"),
            ("audio/x-m4a", "m4a"),
            ("audio/mpeg", "mp3"),
            ("audio/x-wav", "wav"),
            ("video/quicktime", "mov"),
            ("video/3gpp", "3gp"),
            ("application/vnd.rar", "rar"),
            ("application/x-rar-compressed", "rar"),
            ("application/x-zip-compressed", "zip"),
            ("application/zip", "zip"),
            ("application/gzip", "gz"),
            ("text/plain", "txt"),
            ("text/csv", "csv"),
            ("text/html", "html"),
            ("text/calendar", "ics"),
            ("text/vcard", "vcf"),
            ("message/rfc822", "eml"),
            ("application/json", "json"),
            ("application/rtf", "rtf"),
            ("application/x-unheard-of", "bin"),
            ("", "bin"),
            ("nonsense", "bin"),
        ] {
            assert_eq!(extension_for(media_type, None), extension, "{media_type}");
        }
    }

    #[test]
    fn a_name_keeps_an_extension_that_fits_its_type() {
        for (media_type, name, extension) in [
            ("application/octet-stream", "Invoice 7.PDF", "pdf"),
            ("image/jpeg", "photo.jpeg", "jpeg"),
            ("application/vnd.ms-excel", "customers.csv", "csv"),
            ("application/zip", "letter.docx", "docx"),
            ("text/plain", "server.log", "log"),
            ("application/x-unheard-of", "drawing.dwg", "dwg"),
        ] {
            assert_eq!(extension_for(media_type, Some(name)), extension, "{name}");
        }
    }

    #[test]
    fn an_extension_that_lies_about_the_type_gives_way_to_the_usual_one() {
        for (media_type, name, extension) in [
            ("image/gif", "x.html", "gif"),
            ("image/jpeg", "photo.exe", "jpg"),
            ("application/pdf", "invoice.pdf.js", "pdf"),
            ("text/plain", "notes.html", "txt"),
            ("image/png", "photo. of / me", "png"),
            ("application/x-unheard-of", "noextension", "bin"),
        ] {
            assert_eq!(extension_for(media_type, Some(name)), extension, "{name}");
        }
    }

    #[test]
    fn each_type_stands_in_the_table_once_in_lower_case() {
        for (at, (name, extensions)) in TABLE.iter().enumerate() {
            assert!(TABLE.iter().skip(at + 1).all(|(other, _)| other != name), "{name} stands there twice");
            assert!(*name == essence(name) && !is_generic(name), "{name}");
            assert!(
                !extensions.is_empty() && extensions.iter().all(|end| extension_of(&format!("a.{end}")) == Some(*end))
            );
        }
    }

    #[test]
    fn an_extension_gives_the_type_that_usually_has_it() {
        for (extension, media_type) in [
            ("jpg", "image/jpeg"),
            ("JPEG", "image/jpeg"),
            ("mp3", "audio/mpeg"),
            ("m4a", "audio/mp4"),
            ("opus", "audio/ogg"),
            ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
            ("csv", "text/csv"),
        ] {
            assert_eq!(of_extension(extension), Some(media_type), "{extension}");
        }
        assert_eq!(of_extension("unheard"), None);
    }
}
