//! All documents of `docs/`, read once per process.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use api_core::entity_tag::EntityTag;
use axum::body::Bytes;

use super::{
    guide::Guide,
    listing,
    rendering::{self, GuideSection},
    shell,
};

include!(concat!(env!("OUT_DIR"), "/docs.rs"));

pub(super) const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = include_str!("style.css");

pub(super) struct ServedBytes {
    pub content_type: &'static str,
    pub bytes: Bytes,
    pub tag: EntityTag,
}

impl ServedBytes {
    fn new(content_type: &'static str, bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let tag = EntityTag::of(&bytes);
        Self { content_type, bytes, tag }
    }
}

pub(super) struct GuideLibrary {
    pub guides: Vec<Guide>,
    pub sections: Vec<GuideSection>,
    pub index: ServedBytes,
    shown: BTreeMap<String, ServedBytes>,
}

impl GuideLibrary {
    pub fn get() -> &'static Self {
        static READ: LazyLock<GuideLibrary> = LazyLock::new(|| GuideLibrary::read(documents()));
        &READ
    }

    pub fn find(&self, path: &str) -> Option<&ServedBytes> {
        self.shown.get(path)
    }

    fn read(documents: Vec<(String, Cow<'static, str>)>) -> Self {
        let others = FILES.iter().map(|(path, _)| (*path).to_owned()).filter(|path| !path.ends_with(".md"));
        let images = IMAGES.iter().map(|(path, _)| (*path).to_owned());
        let known: BTreeSet<String> =
            documents.iter().map(|(path, _)| path.clone()).chain(others).chain(images).collect();
        let (mut guides, mut sections, mut shown) = (Vec::new(), Vec::new(), BTreeMap::new());
        for (path, markdown) in documents {
            let rendered = rendering::render(&path, &markdown, &known);
            let main = format!(
                "{}<article>\n{}</article>\n<p class=\"foot\"><a href=\"/docs/{path}.md\">This guide as Markdown</a></p>\n",
                shell::outline(&rendered.outline),
                rendered.html
            );
            shown.insert(path.clone(), ServedBytes::new(HTML, shell::page(&rendered.title, &main, "")));
            let markdown = rendering::rewrite_markdown_links(&path, &markdown, &known);
            shown.insert(format!("{path}.md"), ServedBytes::new("text/markdown; charset=utf-8", markdown));
            sections.extend(rendered.sections);
            guides.push(Guide { path, title: rendered.title, summary: rendered.summary });
        }
        for (path, text) in FILES.iter().filter(|(path, _)| !path.ends_with(".md")) {
            shown.insert((*path).to_owned(), ServedBytes::new("application/xml", Bytes::from_static(text.as_bytes())));
        }
        for (path, bytes) in IMAGES {
            shown.insert((*path).to_owned(), ServedBytes::new("image/webp", Bytes::from_static(bytes)));
        }
        shown.insert(
            "guides.css".to_owned(),
            ServedBytes::new("text/css; charset=utf-8", Bytes::from_static(STYLE.as_bytes())),
        );
        Self { index: ServedBytes::new(HTML, listing::index(&guides)), guides, sections, shown }
    }
}

/// Every document by its path without `.md`, and a list for each folder without a README or a document of its name.
fn documents() -> Vec<(String, Cow<'static, str>)> {
    let files = || FILES.iter().filter_map(|(path, text)| Some((path.strip_suffix(".md")?, *text)));
    let folders: BTreeSet<&str> = files().filter_map(|(path, _)| Some(path.split_once('/')?.0)).collect();
    let mut documents: Vec<_> = files().map(|(path, text)| (path.to_owned(), Cow::Borrowed(text))).collect();
    for folder in folders {
        let is_inside = |path: &str| path.split_once('/').is_some_and(|(parent, _)| parent == folder);
        if files().any(|(path, _)| matches!(path.strip_prefix(folder), Some("" | "/README"))) {
            continue;
        }
        let list = listing::folder(folder, files().filter(|(path, _)| is_inside(path)));
        documents.push((folder.to_owned(), Cow::Owned(list)));
    }
    documents
}
