//! The guides: every document of `docs/` is a page, every link of every page works, and the search finds sections.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use super::{
    document::document,
    service::{Answer, Call, Service},
};

fn docs() -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../docs")
}

/// The Markdown files below `folder`, by their paths below `docs/` without `.md`.
fn files(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if let Some(name) = path.strip_prefix(docs()).unwrap().to_str().unwrap().strip_suffix(".md") {
            found.push(name.to_owned());
        }
    }
}

fn text(answer: &Answer) -> String {
    assert_eq!(answer.status, 200, "{answer:?}");
    String::from_utf8(answer.bytes.clone()).unwrap()
}

/// The values of an attribute.
fn values<'p>(page: &'p str, attribute: &str) -> Vec<&'p str> {
    page.split(&format!(" {attribute}=\"")).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

/// The targets of the links of Markdown outside its code blocks.
fn markdown_links(text: &str) -> Vec<&str> {
    let parts = text.split("](").skip(1);
    parts.map(|rest| rest.split(')').next().unwrap()).filter(|link| !link.contains([' ', '`'])).collect()
}

#[tokio::test]
async fn every_document_is_served_as_a_page_and_as_markdown() {
    let service = Service::start().await;
    let mut names = Vec::new();
    files(&docs(), &mut names);
    assert!(names.len() > 60, "only {names:?}");
    for name in names {
        let page = service.send(Call::get(&format!("/docs/{name}"))).await;
        let html = text(&page);
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8", "{name}");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("script"), "{policy}");
        assert!(html.contains("<h1") && !html.contains("<script") && !html.contains(" style=\""), "{name}");
        let markdown = service.send(Call::get(&format!("/docs/{name}.md"))).await;
        assert_eq!(markdown.headers["content-type"], "text/markdown; charset=utf-8", "{name}");
        assert!(text(&markdown).starts_with("# "), "{name}");
    }
}

#[tokio::test]
async fn no_internal_link_of_any_page_is_dead() {
    let service = Service::start().await;
    let mut waiting = vec!["/".to_owned(), "/docs".to_owned(), "/docs/search?q=webhook".to_owned()];
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    let mut places: BTreeSet<(String, String, String)> = BTreeSet::new();
    while let Some(address) = waiting.pop() {
        if pages.contains_key(&address) {
            continue;
        }
        let answer = service.send(Call::get(&address)).await;
        assert!(answer.status.is_success(), "{address}: {}", answer.status);
        let is_page = answer.headers["content-type"].to_str().unwrap().starts_with("text/html");
        let page = if is_page { text(&answer) } else { String::new() };
        for link in ["href", "src", "action"].iter().flat_map(|attribute| values(&page, attribute)) {
            if link.starts_with("https://") {
                continue;
            }
            assert!(link.starts_with(['/', '#']) && !link.starts_with("//"), "{address} leads to {link}");
            let (target, place) = link.split_once('#').map_or((link, None), |(target, place)| (target, Some(place)));
            let target = if target.is_empty() { address.clone() } else { target.to_owned() };
            places.extend(place.map(|place| (address.clone(), target.clone(), place.to_owned())));
            waiting.push(target);
        }
        pages.insert(address, page);
    }
    assert!(pages.len() > 130, "only {} pages", pages.len());
    assert!(places.len() > 50, "only {} places", places.len());
    for (from, target, place) in places {
        assert!(values(&pages[&target], "id").contains(&place.as_str()), "{from} leads to {target}#{place}");
    }
}

#[tokio::test]
async fn no_internal_link_of_the_markdown_is_dead() {
    let service = Service::start().await;
    let mut names = Vec::new();
    files(&docs(), &mut names);
    let mut targets = BTreeSet::new();
    for name in names.iter().map(|name| format!("/docs/{name}.md")).chain(["/docs/adr.md".to_owned()]) {
        let markdown = text(&service.send(Call::get(&name)).await);
        for link in markdown_links(&markdown).into_iter().filter(|link| !link.starts_with("https://")) {
            assert!(link.starts_with(['/', '#']), "{name} leads to {link}");
            targets.extend(link.starts_with('/').then(|| link.split('#').next().unwrap().to_owned()));
        }
    }
    assert!(targets.len() > 50, "{targets:?}");
    for target in targets {
        assert_eq!(service.send(Call::get(&target)).await.status, 200, "{target}");
    }
}

#[tokio::test]
async fn the_list_for_machines_names_the_markdown_and_the_document() {
    let service = Service::start().await;
    let list = text(&service.send(Call::get("/llms.txt")).await);
    assert!(list.starts_with("# Patchbay\n\n> "), "{list}");
    let links = markdown_links(&list);
    assert!(links.iter().any(|link| link.ends_with("/docs/webhooks.md")), "{links:?}");
    assert!(links.iter().any(|link| link.ends_with("/openapi.json")), "{links:?}");
    for link in links {
        assert_eq!(service.send(Call::get(link)).await.status, 200, "{link}");
    }
}

#[tokio::test]
async fn the_search_shows_sections_with_all_words() {
    let service = Service::start().await;
    let found = text(&service.send(Call::get("/docs/search?q=webhook-id+SIGNATURE")).await);
    assert!(values(&found, "href").iter().any(|link| link.starts_with("/docs/webhooks")), "{found}");
    let none = text(&service.send(Call::get("/docs/search?q=%3Cb%3Enothing-has-this")).await);
    assert!(none.contains("No section") && none.contains("&lt;b&gt;") && !none.contains("<b>"), "{none}");
    for (length, status) in [(100, 200), (101, 400)] {
        let answer = service.send(Call::get(&format!("/docs/search?q={}", "a".repeat(length)))).await;
        assert_eq!(answer.status, status, "{length} characters");
    }
}

#[tokio::test]
async fn a_caller_that_has_a_guide_gets_304() {
    let service = Service::start().await;
    for path in ["/", "/docs/webhooks", "/docs/webhooks.md", "/llms.txt", "/docs/batch-sms.xsd"] {
        let first = service.send(Call::get(path)).await;
        let tag = first.headers["etag"].to_str().unwrap().to_owned();
        let again = service.send(Call::get(path).header("if-none-match", &tag)).await;
        assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0), "{path}");
        let other = service.send(Call::get(path).header("if-none-match", "\"other\"")).await;
        assert_eq!(other.status, 200, "{path}");
    }
}

#[tokio::test]
async fn the_servers_of_the_document_are_the_public_url() {
    let service = Service::start().await;
    let wanted = service.context.settings.server.public_base();
    let wanted = if wanted.is_empty() { "/" } else { wanted };
    assert_eq!(document(&service).await["servers"], serde_json::json!([{ "url": wanted }]));
    assert_eq!(service.send(Call::get("/docs/guides")).await.bytes, service.send(Call::get("/")).await.bytes);
    for unknown in ["/docs/nothing.md", "/docs/adr/nothing", "/docs/nothing/webhooks", "/docs/adr/..%2Fwebhooks"] {
        assert_eq!(service.send(Call::get(unknown)).await.error().0, 404, "{unknown}");
    }
}
