//! Wrong passwords for the neighbour's user.

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
