//! Failed statuses that show that the provider's templates differ from our catalogue.

use chrono::TimeDelta;
use domain::content::OutboundContent;
use serde_json::{Value, json};

use crate::{
    sent,
    stage::{Stage, ZO},
};

/// Catalogues whose next fetch is due at the time of the stage.
const DUE: &str = "SELECT count(*) FROM waba_directory WHERE refresh_due_at <= to_timestamp(1790000000)";

fn failed(id: &str, code: i64) -> Value {
    json!({ "statuses": [{
        "id": id, "status": "failed", "timestamp": "1790000001", "recipient_id": ZO,
        "errors": [{ "code": code, "title": "refused" }],
    }] })
}

#[tokio::test]
async fn a_failed_status_about_a_template_requests_the_catalogue_of_its_number() {
    let stage = Stage::new().await;
    let fetched = "UPDATE waba_directory SET refresh_due_at = $1";
    let next = stage.ctx.now() + TimeDelta::hours(1);
    sqlx::query(fetched).bind(next).execute(&stage.ctx.db).await.unwrap();
    for id in ["wamid.T", "wamid.U"] {
        sent(&stage, id, &OutboundContent::Text { body: "Hello".to_owned() }).await;
    }

    stage.called_back(failed("wamid.T", 131_047)).await;
    assert_eq!(stage.count(DUE).await, 0, "the window of the customer is no matter of templates");

    stage.called_back(failed("wamid.U", 132_000)).await;
    assert_eq!(stage.count(DUE).await, 1);
    assert_eq!(stage.count("SELECT count(*) FROM outbound_leg WHERE state = 'FAILED'").await, 2);
}
