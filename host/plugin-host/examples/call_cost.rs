//! Compares the cost of a call through the host with a call of the same component in bare wasmtime, alternating in one
//! run. Prints one JSON line: median and 99th percentile in microseconds, and the ratio of the medians.
//!
//! `cargo run --release -p plugin-host --example call_cost [CALLS]`

use std::error::Error;

use std::time::{Duration, Instant};

use chrono::DateTime;
use domain::ids::ClientId;
use plugin_bindings::{Every, exports::patchbay::plugin::shaper};
use plugin_host::webhook_shaper::{Channel, ChatbotEvent, ChatbotSettings, Direction, ShapedBody, WebhookEvent};
use plugin_host::{CallSeed, HostConfig, HttpLimits, PluginCall, PluginHost, PluginRef};
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, InstancePre};

mod bare_engine;

use bare_engine::{State, percentile};

const WARM_UP: usize = 200;

fn main() -> Result<(), Box<dyn Error>> {
    let calls: usize = std::env::args().nth(1).map_or(Ok(20_000), |text| text.parse())?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(compare(calls))
}

async fn compare(calls: usize) -> Result<(), Box<dyn Error>> {
    let cache = std::env::temp_dir().join(format!("patchbay-call-cost-{}", std::process::id()));
    let host = PluginHost::start(HostConfig::new(&cache)).await?;
    let plugin = PluginRef::shipped("webhook-v2");
    let bare = Bare::new(include_bytes!(concat!(env!("OUT_DIR"), "/webhook_v2.wasm")))?;
    let event = WebhookEvent::Chatbot(event());
    let (mut through_host, mut directly) = (Vec::with_capacity(calls), Vec::with_capacity(calls));
    for round in 0..calls + WARM_UP {
        let began = Instant::now();
        let shaped = host.shape(call(&plugin), &event).await?.0;
        let host_took = began.elapsed();
        let began = Instant::now();
        let bare_shaped = bare.shape(&event).await?;
        let bare_took = began.elapsed();
        if shaped != bare_shaped {
            return Err("the two ways give different bodies".into());
        }
        if round >= WARM_UP {
            through_host.push(host_took);
            directly.push(bare_took);
        }
    }
    std::fs::remove_dir_all(cache)?;
    report(&mut through_host, &mut directly);
    Ok(())
}

fn report(through_host: &mut [Duration], directly: &mut [Duration]) {
    through_host.sort_unstable();
    directly.sort_unstable();
    let (host_p50, bare_p50) = (percentile(through_host, 50), percentile(directly, 50));
    println!(
        "{}",
        serde_json::json!({
            "calls": through_host.len(),
            "host_p50_us": host_p50,
            "host_p99_us": percentile(through_host, 99),
            "bare_p50_us": bare_p50,
            "bare_p99_us": percentile(directly, 99),
            "ratio": (host_p50 / bare_p50 * 1_000.0).round() / 1_000.0,
        })
    );
}

struct Bare {
    engine: Engine,
    pre: InstancePre<State>,
    shaper: shaper::GuestIndices,
}

impl Bare {
    fn new(component: &[u8]) -> wasmtime::Result<Self> {
        let engine = bare_engine::engine()?;
        let component = Component::new(&engine, component)?;
        let mut linker = bare_engine::linker(&engine)?;
        Every::add_to_linker::<_, HasSelf<_>>(&mut linker, |state| state)?;
        let pre = linker.instantiate_pre(&component)?;
        let shaper = shaper::GuestIndices::new(&pre)?;
        Ok(Self { engine, pre, shaper })
    }

    async fn shape(&self, event: &WebhookEvent) -> Result<ShapedBody, Box<dyn Error>> {
        let mut store = bare_engine::store(&self.engine);
        let instance = self.pre.instantiate_async(&mut store).await?;
        let shaper = self.shaper.load(&mut store, &instance)?;
        let shaped = shaper.call_shape(&mut store, event).await?;
        Ok(shaped.map_err(|error| error.message)?.into())
    }
}

fn call(plugin: &PluginRef) -> PluginCall<'_> {
    let now = DateTime::from_timestamp(1_760_428_800, 0).unwrap_or_default();
    let client = ClientId(uuid::Uuid::nil());
    PluginCall {
        client,
        plugin,
        now,
        seed: CallSeed::from_number(1),
        config: "{}",
        turn: "event-1",
        allowed_hosts: &[],
        http_limits: HttpLimits::default(),
        record: false,
    }
}

fn event() -> ChatbotEvent {
    let some = |text: &str| Some(text.to_owned());
    ChatbotEvent {
        event_id: "0199df7e-8a00-7000-8000-000000000001".into(),
        direction: Direction::Incoming,
        timestamp_ms: 1_760_428_800_000,
        chat_participant_id: "0199df7e-8a00-7000-8000-000000000002".into(),
        channel: Some(Channel::Whatsapp),
        conversation_status: some("ACTIVE"),
        conversation_closed: false,
        conversation_missed: false,
        chat_bot_conversation: true,
        client_ref: some("demo"),
        sender_msisdn: some("27820000001"),
        receiver_msisdn: some("27110000000"),
        customer_user_id: some("ZA.100"),
        username: None,
        message_id: some("0199df7e-8a00-7000-8000-000000000003"),
        ct_id: None,
        message_type: some("TEXT"),
        message_text: some("Hello, is anybody there?"),
        media_url: None,
        template_id: None,
        template_name: None,
        quoted_message_id: None,
        quoted_text: None,
        assigned_agent: None,
        last_assigned_agent: None,
        team: None,
        routed_to_another_team: None,
        settings: ChatbotSettings {
            payload_version: "v2".into(),
            include_outgoing: false,
            stop_on_agent_assignment: false,
        },
        metadata: vec![],
    }
}
