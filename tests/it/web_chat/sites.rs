//! Sites: how they are added, changed and deleted, by API and command line.

use harness::SharedPatchbay;
use reqwest::Method;
use serde_json::{Value, json};

use super::ORIGIN;

const SITES: &str = "/messaging-service/web/sites";

#[tokio::test]
async fn a_site_is_added_listed_changed_and_deleted() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let site = client.new_site("https://Shop.example:443/", json!({ "look": { "color": "#123456" } })).await;
    let found = client.get(&format!("{SITES}/{}", site.id)).await.ok();
    assert_eq!((&found["siteKey"], &found["origins"]), (&json!(site.key), &json!([ORIGIN])));
    assert_eq!(
        (&found["look"]["color"], &found["team"], &found["form"]),
        (&json!("#123456"), &Value::Null, &Value::Null)
    );
    let script = found["script"].as_str().unwrap();
    assert_eq!(
        script,
        format!("<script src=\"{}/web-chat/widget.js?site={}\" async></script>", patchbay.url(), site.key)
    );

    let path = format!("{SITES}/{}", site.id);
    let change = json!({ "name": "Store", "texts": { "title": "Ask us" } });
    let changed = client.request(Method::PUT, &path, Some(&change), &[]).await.ok();
    assert_eq!((&changed["name"], &changed["texts"]["title"]), (&json!("Store"), &json!("Ask us")));
    assert_eq!(changed["look"]["color"], "#123456", "a field that is not named stays");
    assert_eq!(client.get(SITES).await.ok()["totalElements"], 1);

    assert_eq!(client.request(Method::DELETE, &path, None, &[]).await.status, 204);
    assert_eq!(client.get(&path).await.status, 404);
    assert_eq!(client.request(Method::DELETE, &path, None, &[]).await.status, 404);
    assert_eq!(client.get(SITES).await.ok()["totalElements"], 0);
}

#[tokio::test]
async fn an_invalid_site_is_refused_field_by_field() {
    let client = SharedPatchbay::get().await.new_bare_client();
    let body = json!({
        "origins": ["*", "https://shop.example/path"],
        "team": "Nobody",
        "look": { "color": "#ffffff", "textColor": "#fefefe" },
        "texts": { "onclick": "x" },
    });
    let fields = client.post(SITES, &body).await.faulty_fields();
    assert_eq!(fields, ["name", "origins[0]", "origins[1]", "look.textColor", "texts.onclick"]);
    let of = |more: Value| {
        let mut body = json!({ "name": "Shop", "origins": [ORIGIN] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    assert_eq!(client.post(SITES, &of(json!({ "team": "Nobody" }))).await.faulty_fields(), ["team"]);
    assert_eq!(client.post(SITES, &of(json!({ "colour": "#fff" }))).await.status, 400);
    assert_eq!(client.get(SITES).await.ok()["totalElements"], 0, "nothing is stored");
}

#[tokio::test]
async fn a_site_names_a_team_of_its_client() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let mut db = patchbay.database().await;
    sqlx::query(
        "INSERT INTO team (client_id, id, name, created_at)
         SELECT id, gen_random_uuid(), 'Sales', now() FROM client WHERE client_ref = $1",
    )
    .bind(&client.client_ref)
    .execute(&mut db)
    .await
    .unwrap();
    let site = client.new_site(ORIGIN, json!({ "team": "sales" })).await;
    let path = format!("{SITES}/{}", site.id);
    assert_eq!(client.get(&path).await.ok()["team"], "Sales");
    let none = json!({ "team": null });
    assert_eq!(client.request(Method::PUT, &path, Some(&none), &[]).await.ok()["team"], Value::Null);
}

#[tokio::test]
async fn the_secret_of_a_site_can_be_read_and_replaced() {
    let client = SharedPatchbay::get().await.new_bare_client();
    let site = client.new_site(ORIGIN, json!({})).await;
    let path = format!("{SITES}/{}/secret", site.id);
    let first = client.get(&path).await.ok()["secret"].clone();
    assert_eq!(client.get(&path).await.ok()["secret"], first);
    let second = client.post(&format!("{path}/rotate"), &json!({})).await.ok()["secret"].clone();
    assert!(first != second && second.as_str().unwrap().len() == 64);
    assert_eq!(client.get(&path).await.ok()["secret"], second);
}

#[test]
fn the_command_prints_id_key_and_script() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let patchbay = SharedPatchbay::get().await;
        let client = patchbay.new_bare_client();
        let arguments = ["site", "add", "--client", &client.client_ref, "--name", "Shop"];
        let origins = ["--origin", ORIGIN, "--origin", "https://www.shop.example"];
        let printed = patchbay.admin(&[&arguments[..], &origins].concat());
        let found = client.get(&format!("{SITES}/{}", printed["id"].as_str().unwrap())).await.ok();
        assert_eq!(found["siteKey"], printed["siteKey"]);
        assert_eq!(found["origins"], json!([ORIGIN, "https://www.shop.example"]));
        assert!(printed["script"].as_str().unwrap().contains(printed["siteKey"].as_str().unwrap()));
        let unknown = ["site", "add", "--client", "nobody", "--name", "Shop", "--origin", ORIGIN];
        assert!(patchbay.refused(&unknown).contains("nobody"));
    });
}

#[tokio::test]
async fn an_agent_may_look_at_sites_and_not_change_them() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_bare_client();
    let site = client.new_site(ORIGIN, json!({})).await;
    let email = format!("agent@{}.example", client.client_ref);
    let agent = patchbay.new_user(&client.client_ref, &email, "AGENT")["apiKey"].as_str().unwrap().to_owned();
    let ask = async |method: Method, path: &str| {
        patchbay.ask(method, path, &[("Authorization", agent.as_str())], Vec::new()).await
    };
    assert_eq!(ask(Method::GET, SITES).await.ok()["totalElements"], 1);
    let path = format!("{SITES}/{}", site.id);
    assert_eq!(ask(Method::GET, &format!("{path}/secret")).await.status, 403);
    assert_eq!(ask(Method::DELETE, &path).await.status, 403);
}
