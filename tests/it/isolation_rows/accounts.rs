//! Rows of clients, users, teams and contacts.

use serde_json::json;

use super::{ALL, Call, DEVELOPERS, Ids, OWN, Others, Row, Who, plain, row, with};

const READERS: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "AGENT", "DEVELOPER"]);
const ADMINS: Who = Who::Roles(&["ADMIN"]);
const LEADERS: Who = Who::Roles(&["ADMIN", "SUPERVISOR"]);

fn user(ids: &Ids, rest: &str) -> Call {
    with(&format!("/api/v1/users/{}{rest}", ids.user), &json!({}))
}

fn team(ids: &Ids, rest: &str) -> Call {
    with(&format!("/api/v1/teams/{}{rest}", ids.team), &json!({}))
}

const KEEPERS: Who = Who::Roles(&["ADMIN", "SUPERVISOR", "AGENT", "API"]);

fn client(ids: &Ids, rest: &str) -> Call {
    with(&format!("/api/v1/clients/{}{rest}", ids.client_ref), &json!({}))
}

fn contact(ids: &Ids) -> Call {
    with(&format!("/messaging-service/WhatsApp/contacts/{}", ids.contact), &json!({ "fullName": "Thandi" }))
}

fn contact_path(ids: &Ids, rest: &str) -> String {
    format!("/messaging-service/WhatsApp/contacts/{}{rest}", ids.contact)
}

const ATTRIBUTES: &str = "/messaging-service/WhatsApp/contact-attributes";

pub const ROWS: &[Row] = &[
    row("GET", "/api/v1/audit", ADMINS, |_| plain("/api/v1/audit"), OWN),
    row("GET", "/api/v1/audit/export", ADMINS, |_| plain("/api/v1/audit/export"), OWN),
    row("GET", "/api/v1/audit/verify", ADMINS, |_| plain("/api/v1/audit/verify"), OWN),
    row("GET", "/api/v1/inboxes", ALL, |_| plain("/api/v1/inboxes"), OWN),
    row("GET", "/api/v1/requests", DEVELOPERS, |_| plain("/api/v1/requests"), OWN),
    row("GET", "/api/v1/clients/{clientRef}", ALL, |ids| client(ids, ""), Others::Unknown(404)),
    row("PUT", "/api/v1/clients/{clientRef}", ADMINS, |ids| client(ids, ""), Others::Unknown(404)),
    row(
        "GET",
        "/api/v1/clients/{clientRef}/children",
        ADMINS,
        |ids| client(ids, "/children"),
        // An old reference gives an empty result, so an unknown one does too.
        Others::Unknown(200),
    ),
    row(
        "POST",
        "/api/v1/clients/{clientRef}/children",
        ADMINS,
        |ids| {
            let body = json!({ "clientRef": "child-of-another", "displayName": "Child" });
            with(&format!("/api/v1/clients/{}/children", ids.client_ref), &body)
        },
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/api/v1/clients/{clientRef}/sms-fallback",
        ADMINS,
        |ids| with(&format!("/api/v1/clients/{}/sms-fallback", ids.client_ref), &json!({ "enabled": false })),
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/api/v1/clients/{clientRef}/popia-compliance",
        ADMINS,
        |ids| with(&format!("/api/v1/clients/{}/popia-compliance", ids.client_ref), &json!({ "popiaCompliant": true })),
        Others::Unknown(404),
    ),
    row("GET", "/messaging-service/WhatsApp/contacts", KEEPERS, |_| plain("/messaging-service/WhatsApp/contacts"), OWN),
    row(
        "POST",
        "/messaging-service/WhatsApp/contacts",
        KEEPERS,
        |_| with("/messaging-service/WhatsApp/contacts", &json!({})),
        OWN,
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/contacts/import",
        KEEPERS,
        |_| with("/messaging-service/WhatsApp/contacts/import", &json!({})),
        OWN,
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/contacts/{id}/tags",
        KEEPERS,
        |ids| plain(&contact_path(ids, "/tags")),
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/messaging-service/WhatsApp/contacts/{id}/tags",
        KEEPERS,
        |ids| with(&contact_path(ids, "/tags"), &json!({ "tags": [] })),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/contacts/{id}/attributes",
        KEEPERS,
        |ids| plain(&contact_path(ids, "/attributes")),
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/messaging-service/WhatsApp/contacts/{id}/attributes",
        KEEPERS,
        |ids| with(&contact_path(ids, "/attributes"), &json!({ "attributes": {} })),
        Others::Unknown(404),
    ),
    row("GET", "/messaging-service/WhatsApp/contact-attributes", ALL, |_| plain(ATTRIBUTES), OWN),
    row(
        "PUT",
        "/messaging-service/WhatsApp/contact-attributes/{name}",
        ADMINS,
        |_| with(&format!("{ATTRIBUTES}/plan"), &json!({ "label": "Plan", "type": "TEXT" })),
        OWN,
    ),
    row(
        "DELETE",
        "/messaging-service/WhatsApp/contact-attributes/{name}",
        ADMINS,
        |_| plain(&format!("{ATTRIBUTES}/none")),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/contacts/{id}/notes",
        KEEPERS,
        |ids| plain(&contact_path(ids, "/notes")),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/contacts/{id}/notes",
        KEEPERS,
        |ids| with(&contact_path(ids, "/notes"), &json!({ "text": "a note" })),
        Others::Unknown(404),
    ),
    row(
        "DELETE",
        "/messaging-service/WhatsApp/contacts/{id}/notes/{note}",
        KEEPERS,
        |ids| plain(&contact_path(ids, &format!("/notes/{}", ids.other))),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/messaging-service/WhatsApp/contacts/{id}/merges",
        KEEPERS,
        |ids| plain(&contact_path(ids, "/merges")),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/contacts/{id}/merges",
        KEEPERS,
        |ids| with(&contact_path(ids, "/merges"), &json!({ "contactId": ids.other })),
        Others::Unknown(404),
    ),
    row(
        "DELETE",
        "/messaging-service/WhatsApp/contacts/{id}/merges/{contactId}",
        KEEPERS,
        |ids| plain(&contact_path(ids, &format!("/merges/{}", ids.other))),
        Others::Unknown(404),
    ),
    row("PUT", "/messaging-service/WhatsApp/contacts/{id}", KEEPERS, contact, Others::Unknown(404)),
    row("DELETE", "/messaging-service/WhatsApp/contacts/{id}", KEEPERS, contact, Others::Unknown(404)),
    row(
        "POST",
        "/chat-service/api/v2/people/export",
        ADMINS,
        |_| with("/chat-service/api/v2/people/export", &json!({ "phoneNumber": "27820000009" })),
        OWN,
    ),
    row(
        "POST",
        "/chat-service/api/v2/people/erase",
        ADMINS,
        |_| with("/chat-service/api/v2/people/erase", &json!({})),
        OWN,
    ),
    row(
        "POST",
        "/messaging-service/WhatsApp/authenticate/changePassword",
        Who::Everybody("it is for users who have no key yet; the password is what counts"),
        |_| with("/messaging-service/WhatsApp/authenticate/changePassword", &json!({})),
        Others::None("e-mail, password and clientRef belong together or not: tests/it/users.rs"),
    ),
    row(
        "POST",
        "/api/v1/sessions",
        Who::Everybody("it is a login; the password is what counts"),
        |_| with("/api/v1/sessions", &json!({})),
        Others::None("e-mail, password and clientRef belong together or not: tests/it/sessions.rs"),
    ),
    row(
        "POST",
        "/chat-service/api/v2/auth/session",
        Who::Everybody("it is a login; the password is what counts"),
        |_| with("/chat-service/api/v2/auth/session", &json!({})),
        Others::None("e-mail, password and clientRef belong together or not: tests/it/sessions.rs"),
    ),
    row("POST", "/api/v1/sessions/links", DEVELOPERS, |_| plain("/api/v1/sessions/links"), OWN),
    row(
        "POST",
        "/api/v1/sessions/links/open",
        Who::Everybody("the link is what counts"),
        |_| with("/api/v1/sessions/links/open", &json!({})),
        Others::None("a token is a secret of 122 bits: tests/it/sessions.rs"),
    ),
    row(
        "GET",
        "/api/v1/sessions/openid",
        Who::Everybody("the login page needs it"),
        |_| plain("/api/v1/sessions/openid"),
        Others::None("the answer is the same for all clients"),
    ),
    row(
        "POST",
        "/api/v1/sessions/openid/begin",
        Who::Everybody("it is a login; the provider tells who a person is"),
        |_| with("/api/v1/sessions/openid/begin", &json!({})),
        Others::None("the answer does not tell which clients exist: tests/it/openid/refusals.rs"),
    ),
    row(
        "POST",
        "/api/v1/sessions/openid/finish",
        Who::Everybody("it is a login; the provider tells who a person is"),
        |_| with("/api/v1/sessions/openid/finish", &json!({})),
        Others::None("the state names the client: tests/it/openid/rules.rs"),
    ),
    row(
        "GET",
        "/api/v1/clients/{clientRef}/openid-rule",
        ADMINS,
        |ids| plain(&format!("/api/v1/clients/{}/openid-rule", ids.client_ref)),
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/api/v1/clients/{clientRef}/openid-rule",
        ADMINS,
        |ids| with(&format!("/api/v1/clients/{}/openid-rule", ids.client_ref), &json!({ "mode": "LINKED_USERS" })),
        Others::Unknown(404),
    ),
    row("DELETE", "/api/v1/users/{id}/openid-link", ADMINS, |ids| user(ids, "/openid-link"), Others::Unknown(404)),
    row(
        "GET",
        "/api/v1/sessions",
        ALL,
        |_| plain("/api/v1/sessions"),
        Others::In(&[(|ids| plain(&format!("/api/v1/sessions?userId={}", ids.user)), 200)]),
    ),
    row(
        "DELETE",
        "/api/v1/sessions/{id}",
        ALL,
        |ids| plain(&format!("/api/v1/sessions/{}", ids.other)),
        Others::Unknown(404),
    ),
    row("GET", "/api/v1/test-keys", ADMINS, |_| plain("/api/v1/test-keys"), OWN),
    row("POST", "/api/v1/test-keys", ADMINS, |_| with("/api/v1/test-keys", &json!({})), OWN),
    row(
        "DELETE",
        "/api/v1/test-keys/{id}",
        ADMINS,
        |ids| plain(&format!("/api/v1/test-keys/{}", ids.user)),
        Others::Unknown(404),
    ),
    row("POST", "/api/v1/test-messages", Who::Roles(&[]), |_| with("/api/v1/test-messages", &json!({})), OWN),
    row("GET", "/api/v1/users", READERS, |_| plain("/api/v1/users"), OWN),
    row("POST", "/api/v1/users", ADMINS, |_| with("/api/v1/users", &json!({})), OWN),
    row("GET", "/api/v1/users/me", ALL, |_| plain("/api/v1/users/me"), OWN),
    row("PUT", "/api/v1/users/me/availability", ALL, |_| with("/api/v1/users/me/availability", &json!({})), OWN),
    row("PUT", "/api/v1/users/me/password", ALL, |_| with("/api/v1/users/me/password", &json!({})), OWN),
    row("GET", "/api/v1/users/{id}", READERS, |ids| user(ids, ""), Others::Unknown(404)),
    row("PUT", "/api/v1/users/{id}", ADMINS, |ids| user(ids, ""), Others::Unknown(404)),
    row("DELETE", "/api/v1/users/{id}", ADMINS, |ids| user(ids, ""), Others::Unknown(404)),
    row(
        "PUT",
        "/api/v1/users/{id}/availability",
        LEADERS,
        |ids| with(&format!("/api/v1/users/{}/availability", ids.user), &json!({ "available": true })),
        Others::Unknown(404),
    ),
    row(
        "PUT",
        "/api/v1/users/{id}/chat-limit",
        LEADERS,
        |ids| with(&format!("/api/v1/users/{}/chat-limit", ids.user), &json!({ "chatLimit": 3 })),
        Others::Unknown(404),
    ),
    row(
        "POST",
        "/api/v1/users/{id}/temporary-password",
        ADMINS,
        |ids| user(ids, "/temporary-password"),
        Others::Unknown(404),
    ),
    row(
        "GET",
        "/api/v1/users/{id}/whatsapp-credits",
        ALL,
        |_| plain("/api/v1/users/me/whatsapp-credits"),
        Others::In(&[(|ids| user(ids, "/whatsapp-credits"), 404)]),
    ),
    row("GET", "/api/v1/teams", READERS, |_| plain("/api/v1/teams"), OWN),
    row("POST", "/api/v1/teams", LEADERS, |_| with("/api/v1/teams", &json!({})), OWN),
    row("GET", "/api/v1/teams/{id}", READERS, |ids| team(ids, ""), Others::Unknown(404)),
    row("PUT", "/api/v1/teams/{id}", LEADERS, |ids| team(ids, ""), Others::Unknown(404)),
    row("DELETE", "/api/v1/teams/{id}", LEADERS, |ids| team(ids, ""), Others::Unknown(404)),
    row("GET", "/api/v1/teams/{id}/members", READERS, |ids| team(ids, "/members"), Others::Unknown(404)),
    row(
        "PUT",
        "/api/v1/teams/{id}/members/{user}",
        LEADERS,
        |ids| team(ids, &format!("/members/{}", ids.user)),
        Others::Unknown(404),
    ),
    row(
        "DELETE",
        "/api/v1/teams/{id}/members/{user}",
        LEADERS,
        |ids| team(ids, &format!("/members/{}", ids.user)),
        Others::Unknown(404),
    ),
];
