//! Configurations of plugins that are expensive to judge.

use std::time::Duration;

use harness::guest;
use serde_json::json;

use super::{Attack, crowd};
use crate::stage::Stage;

/// 4 activations at once of a plugin whose schema has 64 patterns, with a wrong text of 12 KB.
pub async fn with_patterns(stage: &Stage) -> Attack {
    let version = stage.neighbour.upload("shop", guest("misfit")).await;
    let first = json!({ "version": version, "mode": "live", "config": { "shop": "first" } });
    stage.neighbour.put_in_force("shop", first).await;
    let version = stage.attacker.upload("patterned", guest("patterned")).await;
    let (ground, base) = (stage.ground(), stage.base());
    crowd(4, move |number| {
        let http = ground.sources.attacker(number).http(Duration::from_secs(600));
        let url = format!("{base}/plugin-service/api/v1/plugins/patterned/activate");
        let config = json!({ "text": "a".repeat(12_000) });
        let body = json!({ "version": version, "mode": "live", "config": config });
        let request = http.post(url).header("Authorization", &ground.key).json(&body);
        async move {
            // A refusal is the usual answer.
            drop(request.send().await);
        }
    })
}
