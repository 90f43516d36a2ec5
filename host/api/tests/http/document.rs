//! The document of the API: it describes the served routes, its examples are correct, and its page needs no network.

use std::collections::{BTreeMap, BTreeSet};

use axum::{Router, body::Body, http::Request};
use serde_json::{Value, json};

use super::service::{Answer, Call, Options, Service, routes};

const METHODS: [&str; 4] = ["get", "post", "put", "delete"];

pub async fn document(service: &Service) -> Value {
    let answer = service.send(Call::get("/openapi.json")).await;
    assert_eq!((answer.status.as_u16(), &answer.headers["content-type"]), (200, &"application/json".parse().unwrap()));
    answer.json()
}

/// Every operation with its method and path.
fn operations(document: &Value) -> Vec<(String, String, &Value)> {
    let mut found = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in METHODS.iter().filter(|method| item.get(**method).is_some()) {
            found.push(((*method).to_owned(), path.clone(), &item[*method]));
        }
    }
    found
}

/// Returns the value, or the target of its reference.
pub fn resolved<'d>(document: &'d Value, value: &'d Value) -> &'d Value {
    match value["$ref"].as_str() {
        Some(reference) => {
            let found = document.pointer(reference.trim_start_matches('#'));
            found.unwrap_or_else(|| panic!("{reference} is nowhere"))
        }
        None => value,
    }
}

/// All values within a value, itself included.
fn within(value: &Value) -> Vec<&Value> {
    let inner: Vec<&Value> = match value {
        Value::Object(fields) => fields.values().flat_map(within).collect(),
        Value::Array(items) => items.iter().flat_map(within).collect(),
        _ => Vec::new(),
    };
    std::iter::once(value).chain(inner).collect()
}

/// An instance that must match a schema of the document.
pub struct Case {
    pub name: String,
    pub schema: Value,
    pub instance: Value,
}

/// Returns the faults of all instances. One validator checks all of them, because each one would read the whole document.
pub fn faults(document: &Value, cases: Vec<Case>) -> Vec<String> {
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let (mut schemas, mut instances) = (serde_json::Map::new(), serde_json::Map::new());
    for (at, case) in cases.into_iter().enumerate() {
        schemas.insert(at.to_string(), case.schema);
        instances.insert(at.to_string(), case.instance);
    }
    let whole = json!({ "type": "object", "properties": schemas, "components": document["components"] });
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&whole).unwrap();
    let instance = Value::Object(instances);
    let faults = validator.iter_errors(&instance).map(|fault| {
        let path = fault.instance_path().to_string();
        let at: usize = path.split('/').nth(1).unwrap().parse().unwrap();
        format!("{}: {fault} at {path}", names[at])
    });
    faults.collect()
}

#[tokio::test]
async fn it_is_openapi_3_1_and_all_its_references_lead_somewhere() {
    let service = Service::start().await;
    let document = document(&service).await;
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    for value in within(&document) {
        resolved(&document, value);
    }
}

/// Operations that make an object and answer 200: `docs/api.md` names them.
const CREATIONS_WITH_200: [&str; 6] = [
    "beginWebSession",
    "createConsoleSession",
    "createConversation",
    "createWebhookConfiguration",
    "issueLiveTicket",
    "uploadChatMedia",
];

#[tokio::test]
async fn a_creation_answers_201_unless_it_is_a_documented_exception() {
    let service = Service::start().await;
    let document = document(&service).await;
    let (mut created, mut exceptions) = (0, Vec::new());
    for (_, _, operation) in operations(&document) {
        let id = operation["operationId"].as_str().unwrap();
        let words = ["add", "begin", "create", "issue", "register", "upload"];
        if words.iter().any(|word| id.strip_prefix(word).is_some_and(|rest| rest.starts_with(char::is_uppercase))) {
            let has = |status: &str| operation["responses"].get(status).is_some();
            // A 204 makes no object, such as the membership of a team.
            match () {
                () if has("201") => created += 1,
                () if has("204") => {}
                () => exceptions.push(id),
            }
        }
    }
    exceptions.sort_unstable();
    assert_eq!(exceptions, CREATIONS_WITH_200);
    assert!(created >= 8, "{created}");
}

#[tokio::test]
async fn the_examples_of_answers_have_times_in_one_format() {
    let service = Service::start().await;
    let document = document(&service).await;
    let operations = operations(&document).into_iter();
    let answers = operations.flat_map(|(_, _, operation)| within(&operation["responses"]));
    let times = answers.filter_map(|value| value.as_str()).filter(|text| {
        text.len() > 18
            && text.is_char_boundary(10)
            && text[..10].parse::<chrono::NaiveDate>().is_ok()
            && text[10..].starts_with('T')
    });
    let times: Vec<&str> = times.collect();
    let other: Vec<&&str> = times.iter().filter(|text| text.len() != "2026-01-31T08:15:30.123Z".len()).collect();
    assert!(times.len() > 100 && other.is_empty(), "{} times, {other:?}", times.len());
}

#[tokio::test]
async fn every_operation_has_a_description_and_its_possible_statuses() {
    let service = Service::start().await;
    let document = document(&service).await;
    let tags: BTreeSet<&str> =
        document["tags"].as_array().unwrap().iter().map(|tag| tag["name"].as_str().unwrap()).collect();
    let mut ids = BTreeSet::new();
    for (method, path, operation) in operations(&document) {
        let name = format!("{method} {path}");
        assert!(ids.insert(operation["operationId"].as_str().unwrap()), "{name}: the id is taken");
        assert!(!operation["summary"].as_str().unwrap_or_default().is_empty(), "{name} has no summary");
        let tag = operation["tags"].as_array().map(Vec::as_slice).unwrap_or_default();
        assert!(tag.len() == 1 && tags.contains(tag[0].as_str().unwrap()), "{name}: {tag:?}");
        let responses = operation["responses"].as_object().unwrap();
        assert!(responses.keys().any(|status| status.starts_with('2') || status == "101"), "{name} never succeeds");
        let keyed = !operation["security"][0].as_object().unwrap().is_empty();
        // An operator has no role.
        let of_operators = operation["security"][0].get("operatorKey").is_some();
        assert_eq!(keyed && !of_operators, operation.get("x-roles").is_some(), "{name}");
        for status in if keyed { &["401", "403", "429", "500", "503"][..] } else { &[] } {
            assert!(responses.contains_key(*status), "{name} lacks {status}");
        }
        for (status, response) in responses {
            let response = resolved(&document, response);
            assert!(response["headers"].get("X-Request-Id").is_some(), "{name}, {status}");
            let reference = &response["content"]["application/json"]["schema"]["$ref"];
            // The JSON gateway says in its own words that it did not take a send (SPEC 4.8), the other one speaks XML.
            let of_gateway = reference == "#/components/schemas/SmsSendAnswer" || path.starts_with("/smsbatch/");
            let is_error = status.as_str() >= "400" && !(path == "/readyz" && status == "503") && !of_gateway;
            assert_eq!(is_error, reference == "#/components/schemas/Error", "{name}, {status}: {response}");
        }
    }
}

/// The paths of a router. Only its debug text shows them.
fn served<S>(router: &Router<S>) -> BTreeSet<String> {
    let text = format!("{router:?}");
    let paths = text.split('"').filter(|text| text.starts_with('/'));
    // The last one belongs to the fallback.
    paths.filter(|path| !path.contains("__private__axum")).map(str::to_owned).collect()
}

#[tokio::test]
async fn every_path_that_is_served_is_in_the_document_and_the_other_way_round() {
    let (router, document) = routes(Options::default()).await.split_for_parts();
    let described: BTreeSet<String> = document.paths.paths.into_keys().collect();
    assert!(described.len() > 25, "{described:?}");
    assert_eq!(served(&router), described);
}

#[tokio::test]
async fn a_route_without_description_would_be_noticed() {
    let without_clock = Options { testing_clock: false, ..Options::default() };
    let hidden = routes(without_clock).await.route("/secret/door", axum::routing::get(|| async {}));
    let (router, document) = hidden.split_for_parts();
    assert!(served(&router).contains("/secret/door") && !document.paths.paths.contains_key("/secret/door"));
    assert!(!served(&router).contains("/testing/clock/advance"), "it is not served unless it is configured");
}

#[tokio::test]
async fn every_method_that_is_described_is_served_and_no_other() {
    let service = Service::start().await;
    let document = document(&service).await;
    let mut described: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (method, path, _) in operations(&document) {
        let methods = described.entry(path).or_default();
        methods.extend((method == "get").then(|| "HEAD".to_owned()));
        methods.insert(method.to_uppercase());
    }
    for (path, methods) in described {
        let concrete = path.replace(['{', '}'], "");
        let call = Call(Request::patch(&concrete).body(Body::empty()).unwrap());
        let answer = service.send(call).await;
        assert_eq!(answer.status, 405, "{path}");
        let allowed = answer.headers["allow"].to_str().unwrap();
        // Browsers ask by OPTIONS whether a page may call at all; that is no call of the API.
        let allowed = allowed.split(',').filter(|method| *method != "OPTIONS").map(str::to_owned);
        assert_eq!(allowed.collect::<BTreeSet<_>>(), methods, "{path}");
    }
}

#[tokio::test]
async fn every_example_goes_with_its_schema() {
    let service = Service::start().await;
    let document = document(&service).await;
    let mut cases = Vec::new();
    let mut check = |name: &str, schema: &Value, example: &Value| {
        cases.push(Case { name: name.to_owned(), schema: schema.clone(), instance: example.clone() });
    };
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        let mut bare = schema.clone();
        bare.as_object_mut().unwrap().remove("examples");
        for example in schema["examples"].as_array().into_iter().flatten() {
            check(name, &bare, example);
        }
    }
    for value in within(&document) {
        if let (Some(schema), Some(example)) = (value.get("schema"), value.get("example")) {
            check(&schema.to_string(), schema, example);
        }
        for (name, example) in value["examples"].as_object().into_iter().flatten() {
            check(name, &value["schema"], &example["value"]);
        }
    }
    assert!(cases.len() > 200, "only {} examples", cases.len());
    let faults = faults(&document, cases);
    assert!(faults.is_empty(), "{faults:#?}");
}

/// The fields that a schema describes.
fn fields(document: &Value, schema: &str) -> BTreeSet<String> {
    document["components"]["schemas"][schema]["properties"].as_object().unwrap().keys().cloned().collect()
}

fn keys(body: &Value) -> BTreeSet<String> {
    body.as_object().unwrap().keys().cloned().collect()
}

#[tokio::test]
async fn bodies_that_other_crates_write_have_the_fields_that_are_described() {
    let service = Service::start().await;
    let document = document(&service).await;
    let send = json!({
        "sender": "27820001001",
        "messageType": "CHAT",
        "messages": [{"recipients": [{"to": "0"}], "messageText": "hello"}],
    });
    let sent = service.post("/whatsapp-api-service/v2/channels/whatsapp", &send).await.json();
    assert_eq!(keys(&sent), fields(&document, "SendAccepted"));
    assert_eq!(keys(&sent["rejectedRecipients"][0]), fields(&document, "RejectedRecipient"));
    let created = service.post("/messaging-service/WhatsApp/WhatsAppClientWebHook", &json!({})).await.json();
    assert_eq!(keys(&created), fields(&document, "StoredWebhookConfiguration"));
    let refused = service.send(Call::get("/nowhere")).await.json();
    assert_eq!(keys(&refused), fields(&document, "Error"));
}

#[tokio::test]
async fn every_json_body_has_an_example() {
    let service = Service::start().await;
    let document = document(&service).await;
    for (method, path, operation) in operations(&document) {
        let answers = operation["responses"].as_object().unwrap().iter().filter(|(status, _)| status.starts_with('2'));
        let bodies = answers.map(|(_, answer)| resolved(&document, answer)).chain([&operation["requestBody"]]);
        for body in bodies.filter_map(|body| body["content"].get("application/json")) {
            let schema = resolved(&document, &body["schema"]);
            let has_own = ["example", "examples"].iter().any(|name| body.get(name).is_some());
            assert!(has_own || schema.get("examples").is_some(), "{method} {path} has a body without an example");
        }
    }
}

#[tokio::test]
async fn a_description_says_more_than_the_roles() {
    let service = Service::start().await;
    let document = document(&service).await;
    for (method, path, operation) in operations(&document) {
        let said = operation["description"].as_str().unwrap_or_default().trim();
        assert!(!said.is_empty() && !said.starts_with("Roles:"), "{method} {path} has no description");
    }
}

#[tokio::test]
async fn the_items_of_a_page_and_every_component_are_named_once() {
    let service = Service::start().await;
    let document = document(&service).await;
    let used: BTreeSet<&str> = within(&document).into_iter().filter_map(|value| value["$ref"].as_str()).collect();
    for (kind, components) in document["components"].as_object().unwrap() {
        for name in components.as_object().unwrap().keys().filter(|_| kind != "securitySchemes") {
            assert!(used.contains(format!("#/components/{kind}/{name}").as_str()), "{kind}/{name} is not used");
        }
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        if name.starts_with("Page_") {
            assert!(schema["properties"]["content"]["items"]["$ref"].is_string(), "{name} has a copy of its items");
        }
    }
}

#[tokio::test]
async fn the_examples_of_requests_are_taken() {
    let service = Service::start().await;
    let document = document(&service).await;
    let example = |schema: &str| document["components"]["schemas"][schema]["examples"][0].clone();
    for (path, body) in [
        ("/whatsapp-api-service/v2/channels/whatsapp", example("Send")),
        ("/messaging-service/WhatsApp/WhatsAppClientWebHook", example("WebhookConfiguration")),
    ] {
        let answer = service.post(path, &body).await;
        assert!(answer.status.is_success(), "{path}: {answer:?}");
    }
    let no_template = service.post("/whatsapp-api-service/v2/messages", &example("UnifiedSend")).await;
    assert_eq!(no_template.field(), "payload.templateId", "nothing else is wrong with it");
}

/// `UPDATE_DOCS=1 cargo test -p api --test http document` writes it again.
#[tokio::test]
async fn the_committed_document_is_the_one_that_is_served() {
    let service = Service::start().await;
    let served = format!("{:#}\n", document(&service).await);
    let path =
        std::path::PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/openapi.json");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &served).unwrap();
    }
    let committed = std::fs::read_to_string(path).unwrap_or_default();
    assert!(committed == served, "docs/openapi.json is not what is served: run with UPDATE_DOCS=1 to write it again");
}

/// The addresses that a page refers to.
fn references(page: &str) -> Vec<String> {
    let quoted = |attribute: &str| {
        page.split(&format!("{attribute}=\""))
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    [quoted("src"), quoted("href")].concat()
}

#[tokio::test]
async fn the_page_works_without_a_network() {
    let service = Service::start().await;
    let page = service.send(Call::get("/docs")).await;
    let text = |answer: &Answer| String::from_utf8(answer.bytes.clone()).unwrap();
    let found = references(&text(&page));
    assert!(found.len() >= 4, "{found:?}");
    for address in &found {
        assert!(address.starts_with('/') && !address.starts_with("//"), "{address} is somewhere else");
        let answer = service.send(Call::get(address)).await;
        assert!(answer.status.is_success() && answer.bytes.len() > 100, "{address}: {}", answer.status);
    }
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("http"), "{policy}");
    let start = text(&service.send(Call::get("/docs/start.js")).await);
    assert!(
        start.contains("\"/openapi.json\"") && start.contains("validatorUrl: null") && !start.contains("http"),
        "{start}"
    );
    assert_eq!(service.send(Call::get("/docs/")).await.status, 200, "a trailing slash never matters");
    for other in ["swagger-initializer.js", "index.html", "nothing", "..%2FCargo.toml"] {
        assert_eq!(service.send(Call::get(&format!("/docs/{other}"))).await.error().0, 404, "{other}");
    }
}
