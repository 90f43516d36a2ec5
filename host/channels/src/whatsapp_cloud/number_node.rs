//! Meta's facts about a business number (PROVIDERS A.10).

use reqwest::Method;
use serde_json::Value;

use super::{CloudApi, CloudNumber, GraphError};

const FIELDS: &str =
    "status,quality_rating,whatsapp_business_manager_messaging_limit,throughput,display_phone_number,verified_name";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NumberNode {
    pub status: Option<String>,
    pub quality_rating: Option<String>,
    /// `TIER_250`, `TIER_2K`, ... of the business portfolio.
    pub messaging_limit: Option<String>,
    pub throughput: Option<String>,
    pub display_phone_number: Option<String>,
    pub verified_name: Option<String>,
}

impl CloudApi {
    pub async fn number_node(&self, number: &CloudNumber) -> Result<NumberNode, GraphError> {
        let call =
            self.call(Method::GET, &[&number.phone_number_id], &number.access_token).query(&[("fields", FIELDS)]);
        let node: Value = self.read(call).await?;
        let text = |name: &str| node.get(name).and_then(Value::as_str).map(str::to_owned);
        let throughput = match node.get("throughput") {
            Some(Value::String(level)) => Some(level.clone()),
            Some(object) => object.get("level").and_then(Value::as_str).map(str::to_owned),
            None => None,
        };
        Ok(NumberNode {
            status: text("status"),
            quality_rating: text("quality_rating").filter(|rating| !matches!(rating.as_str(), "NA" | "UNKNOWN")),
            messaging_limit: text("whatsapp_business_manager_messaging_limit"),
            throughput,
            display_phone_number: text("display_phone_number"),
            verified_name: text("verified_name"),
        })
    }
}
