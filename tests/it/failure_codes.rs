//! Tests for the codes of failed messages in `docs/errors.md`.

use std::{collections::BTreeMap, fs, path::PathBuf};

use harness::{SharedPatchbay, WebhookSink, eventually};
use serde_json::json;

fn rows(heading: &str) -> Vec<Vec<String>> {
    let page = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../docs/errors.md");
    let page = fs::read_to_string(page).unwrap();
    let below = page.split_once(&format!("\n## {heading}\n")).expect(heading).1;
    let table = below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let row = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    table.filter(|line| !line.starts_with("|---")).skip(1).map(row).collect()
}

#[tokio::test]
async fn every_code_of_whatsapp_that_is_documented_reaches_the_client_as_it_came() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let sink = WebhookSink::start().await;
    client.webhooks_to(&sink, "v2").await;
    let codes: Vec<String> = rows("Codes of WhatsApp").into_iter().map(|row| row[0].clone()).collect();
    assert!(codes.len() > 50, "only {} codes: is the table still there?", codes.len());
    let mut expected = BTreeMap::new();
    for code in &codes {
        let phone = patchbay.new_phone();
        phone.set(json!({ "failWith": code.parse::<u32>().unwrap() })).await;
        expected.insert(format!("ct-{}", phone.msisdn), code.clone());
        client.send(&client.order_ready(&[&phone.msisdn])).await.accepted();
    }
    let failed = || async {
        let failed: BTreeMap<String, String> = sink
            .bodies("status")
            .into_iter()
            .filter(|body| {
                body["status"] == "FAILED" && body["errorCodeString"].as_str().is_some_and(|text| !text.is_empty())
            })
            .filter_map(|body| Some((body["ctId"].as_str()?.to_owned(), body["errorCode"].as_str()?.to_owned())))
            .collect();
        (failed.len() == expected.len()).then_some(failed)
    };
    assert_eq!(eventually("a failure with code and text for each", failed).await, expected);
}

#[tokio::test]
async fn the_codes_of_failed_messages_are_listed_with_cause_and_cure() {
    const PATH: &str = "/messaging-service/WhatsApp/failure-codes";
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let listed = client.get(&format!("{PATH}?size=500")).await.ok();
    let codes = listed["content"].as_array().unwrap().iter().map(|code| code["errorCode"].as_str().unwrap().to_owned());
    let documented = ["Our own codes", "Codes of WhatsApp"].into_iter().flat_map(rows).map(|row| row[0].clone());
    assert_eq!(codes.collect::<Vec<_>>(), documented.collect::<Vec<_>>());

    let second = client.get(&format!("{PATH}?size=2&page=1")).await.ok();
    assert_eq!(second["content"], json!(listed["content"].as_array().unwrap()[2..4]));
    assert_eq!((&second["totalElements"], &second["last"]), (&listed["totalElements"], &json!(false)));
    let found = client.get(&format!("{PATH}?searchString=24-HOUR")).await.ok();
    let expected = json!({
        "errorCode": "131047", "source": "WHATSAPP", "cause": "outside the 24-hour window", "cure": "send a template",
    });
    assert_eq!(found["content"], json!([expected]));
}

fn sources(folder: PathBuf) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![folder]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// The row of each of our own codes names a test. That test, or a helper after it, contains the code.
#[test]
fn every_code_of_ours_names_a_test_that_knows_it() {
    let root = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("..");
    for row in rows("Our own codes") {
        let (code, provoked_by) = (&row[0], row.last().unwrap());
        let (place, test) = provoked_by.trim_matches('`').split_once("` `").expect("a crate and a test");
        let (module, function) = test.rsplit_once("::").expect("a module and a function");
        let folder = if place == "it" { root.join("tests/it") } else { root.join("host").join(place) };
        let ends_with = format!("{}.rs", module.replace("::", "/"));
        let is_meant = |file: &PathBuf| file.to_str().unwrap().ends_with(&ends_with);
        let file = sources(folder).into_iter().find(is_meant).unwrap_or_else(|| panic!("no {ends_with}"));
        let source = fs::read_to_string(&file).unwrap();
        let body = source.split_once(&format!("fn {function}()")).unwrap_or_else(|| panic!("no test {function}")).1;
        let body = body.split("\n}\n").next().unwrap().split("#[test]").next().unwrap();
        let grouped = format!("{}_{}", &code[..3], &code[3..]);
        let named = match code.as_str() {
            "900450" => "REFUSED_BY_SMSC",
            "900451" => "NO_ANSWER_FROM_SMSC",
            "900460" => "REFUSED_BY_DEVICE",
            _ => code,
        };
        assert!(
            [code.as_str(), &grouped, named].iter().any(|name| body.contains(name)),
            "{function} does not provoke {code}"
        );
    }
}
