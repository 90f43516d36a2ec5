//! The web console: its page, its files, and what browsers keep of them.

use super::service::{Call, Service};

#[tokio::test]
async fn every_path_of_the_console_is_its_page_with_a_strict_policy() {
    let service = Service::start().await;
    for path in ["/console", "/console/inbox/all", "/console/nothing"] {
        let page = service.send(Call::get(path)).await;
        assert_eq!(page.status, 200, "{path}");
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8", "{path}");
        let policy = page.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self' 'sha256-"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
        assert!(policy.contains("; connect-src 'self'; frame-src 'self';"), "{policy}");
    }
    assert_eq!(service.send(Call::post("/console/inbox", "{}")).await.error(), (404, "Not found".to_owned()));
    assert_eq!(service.send(Call::get("/consoles")).await.error(), (404, "Not found".to_owned()));
}

#[tokio::test]
async fn the_preview_of_the_widget_is_framed_by_this_server_alone_and_can_make_no_call() {
    let service = Service::start().await;
    let page = service.send(Call::get("/web-chat/preview")).await;
    assert_eq!((page.status.as_u16(), &page.headers["cache-control"]), (200, &"no-cache".parse().unwrap()));
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(policy.contains("frame-ancestors 'self'"), "{policy}");
    assert!(!policy.contains("connect-src") && !policy.contains("unsafe"), "{policy}");
}

#[tokio::test]
async fn the_preview_has_the_widget_of_the_same_version() {
    let service = Service::start().await;
    let page = String::from_utf8(service.send(Call::get("/web-chat/preview")).await.bytes).unwrap();
    let (_, version) = page.split_once("widget.js?preview=").unwrap();
    let script = service.send(Call::get("/web-chat/widget.js")).await;
    let tag = script.headers["etag"].to_str().unwrap();
    assert_eq!(version.split('"').next(), Some(tag.trim_matches('"')));
}

#[tokio::test]
async fn browsers_keep_no_widget_of_a_preview_of_another_version() {
    let service = Service::start().await;
    let script = service.send(Call::get("/web-chat/widget.js?site=site_1")).await;
    let version = script.headers["etag"].to_str().unwrap().trim_matches('"').to_owned();
    let kept = &script.headers["cache-control"];
    assert!(kept.to_str().unwrap().contains("max-age=86400"), "{kept:?}");
    for (named, kept) in [(version.as_str(), kept), ("0000000000000000", &"no-store".parse().unwrap())] {
        let script = service.send(Call::get(&format!("/web-chat/widget.js?preview={named}"))).await;
        assert_eq!((script.status.as_u16(), &script.headers["cache-control"]), (200, kept), "{named}");
    }
}

#[tokio::test]
async fn browsers_keep_the_files_of_one_version_and_no_others() {
    let service = Service::start().await;
    let page = String::from_utf8(service.send(Call::get("/console")).await.bytes).unwrap();
    let named: Vec<&str> = page.split('"').filter(|part| part.starts_with("/console/assets/")).collect();
    assert!(named.len() > 10, "{page}");
    for path in named.iter().filter(|path| !path.ends_with('/')) {
        let file = service.send(Call::get(path)).await;
        assert_eq!(file.status, 200, "{path}");
        assert!(file.headers["cache-control"].to_str().unwrap().contains("immutable"), "{path}");
    }
    let version = named[0].split('/').nth(3).unwrap();
    let other = service.send(Call::get(&named[0].replace(version, "0000000000000000"))).await;
    assert_eq!((other.status.as_u16(), &other.headers["cache-control"]), (200, &"no-store".parse().unwrap()));
    for unknown in ["app/nothing.js", "index.html", "tsconfig.json", "../Cargo.toml"] {
        let path = format!("/console/assets/{version}/{unknown}");
        assert_eq!(service.send(Call::get(&path)).await.error().0, 404, "{path}");
    }
}

#[tokio::test]
async fn the_page_and_its_files_are_compressed_and_fetched_once() {
    let service = Service::start().await;
    let plain = service.send(Call::get("/console")).await;
    let packed = service.send(Call::get("/console").header("accept-encoding", "br, gzip")).await;
    assert_eq!(packed.headers["content-encoding"], "gzip");
    for refused in ["br", "gzip;q=0", "br, gzip; q=0.000"] {
        let plain = service.send(Call::get("/console").header("accept-encoding", refused)).await;
        assert!(!plain.headers.contains_key("content-encoding"), "{refused}");
    }
    assert!(packed.bytes.len() < plain.bytes.len() && packed.bytes.starts_with(&[0x1f, 0x8b]));
    assert!(plain.headers.get("content-encoding").is_none() && plain.headers["vary"] == "accept-encoding");
    let tag = plain.headers["etag"].to_str().unwrap();
    let again = service.send(Call::get("/console").header("if-none-match", tag)).await;
    assert_eq!((again.status.as_u16(), again.bytes.len()), (304, 0));
}
