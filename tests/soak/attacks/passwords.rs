//! Wrong passwords.

use std::time::Duration;

use serde_json::json;

use super::{Attack, crowd};
use crate::{neighbour::unique, stage::Stage};

/// 20 addresses from which strangers try a wrong password for the neighbour's user, twice a second each.
pub async fn of_a_stranger(stage: &Stage) -> Attack {
    let (ground, base) = (stage.ground(), stage.base());
    let name = stage.neighbour.client_ref.clone();
    crowd(20, move |number| {
        let http = ground.sources.attacker(number).http(Duration::from_secs(20));
        let url = format!("{base}/messaging-service/WhatsApp/authenticate/retrieveApiKey");
        let body = json!({ "email": format!("{name}@example.com"), "password": unique(), "clientRef": name });
        async move {
            // The answer, a refusal, makes no difference.
            drop(http.post(url).json(&body).send().await);
        }
    })
}

/// 18 addresses with 62 complete logins at once each, again and again, for unknown users.
pub async fn parallel(stage: &Stage) -> Attack {
    let (ground, base) = (stage.ground(), stage.base());
    crowd(18 * 62, move |number| {
        let http = ground.sources.attacker(number % 18).http(Duration::from_secs(60));
        let url = format!("{base}/messaging-service/WhatsApp/authenticate/retrieveApiKey");
        let body = json!({ "email": format!("{}@example.com", unique()), "password": "wrong", "clientRef": "nobody" });
        async move {
            // The answer, a refusal, makes no difference.
            drop(http.post(url).json(&body).send().await);
        }
    })
}
