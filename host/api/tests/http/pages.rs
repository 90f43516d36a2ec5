//! Lists are pages (SPEC 2.13, 8): every one of the document, with the sizes that it takes.

use serde_json::{Value, json};

use super::service::{Call, Service};

/// A list: its path with something for each parameter, its usual size, and whether it needs nothing else.
struct List {
    path: String,
    usual: u64,
    stands_alone: bool,
}

/// Every list of the document, with the parameters `page` and `size`.
async fn lists(service: &Service) -> Vec<List> {
    let document = service.send(Call::get("/openapi.json")).await.json();
    let mut lists = Vec::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        let Some(parameters) = methods["get"]["parameters"].as_array() else { continue };
        let named = |name: &str| parameters.iter().find(|one| one["name"] == name && one["in"] == "query");
        let (Some(_), Some(size)) = (named("page"), named("size")) else { continue };
        assert_eq!((&size["schema"]["minimum"], &size["schema"]["maximum"]), (&json!(1), &json!(500)), "{path}");
        // One plugin with its versions, which are many: no page of SPEC 2.13.
        if path == "/plugin-service/api/v1/plugins/{name}" {
            continue;
        }
        // It needs one of two parameters, which no description can say.
        if path == "/messaging-service/WhatsApp/messages" {
            continue;
        }
        // SPEC 4.3 asks for both: such a list has no usual size.
        let Some(usual) = size["schema"]["default"].as_u64() else {
            assert_eq!(size["required"], json!(true), "{path}");
            continue;
        };
        let filled: Vec<&str> = path.split('/').map(|part| if part.starts_with('{') { ID } else { part }).collect();
        let stands_alone = parameters.iter().all(|one| one["required"] != json!(true));
        lists.push(List { path: filled.join("/"), usual, stands_alone });
    }
    lists
}

/// For parameters of paths.
const ID: &str = "0199aa6e-3f0c-7000-8a51-6f0c1d2e3f40";

fn assert_page(body: &Value, size: u64, path: &str) {
    let fields: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    let mut wanted = ["content", "totalElements", "totalPages", "size", "number", "first", "last"];
    wanted.sort_unstable();
    assert_eq!(fields, wanted, "{path}");
    assert_eq!((&body["size"], &body["number"], &body["first"]), (&json!(size), &json!(0), &json!(true)), "{path}");
}

#[tokio::test]
async fn every_list_is_a_page_of_ten_and_takes_sizes_up_to_its_limit() {
    let service = Service::start().await;
    let lists = lists(&service).await;
    assert!(lists.len() >= 12, "only {} lists in the document", lists.len());
    for List { path, usual, stands_alone } in lists {
        assert!([10, 20].contains(&usual), "{path} has pages of {usual} (SPEC 8)");
        for wrong in ["0", "501", "-1", "1.5", "ten", "99999999999999999999"] {
            let answer = service.get(&format!("{path}?size={wrong}")).await;
            assert_eq!(answer.field(), "size", "{path}?size={wrong}");
        }
        if stands_alone {
            assert_page(&service.get(&path).await.json(), usual, &path);
        }
        for right in [1, 500] {
            let answer = service.get(&format!("{path}?size={right}")).await;
            if stands_alone {
                assert_page(&answer.json(), right, &path);
            } else {
                // The object of the list is missing, or is not named.
                let lacks = answer.status == 400 && answer.field() != "size";
                assert!(
                    lacks || [200, 404].contains(&answer.status.as_u16()),
                    "{path}?size={right}: {}",
                    answer.status
                );
            }
        }
    }
}
