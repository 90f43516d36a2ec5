//! The console in a real browser (`docs/console.md`), and the types of its modules, of the page of the phones and of
//! the widget of web chat. `tests/peers/console` has the stories.
//! Those that only add depth are in `make soak` (`tests/soak/long_stories.rs`).

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use harness::{SharedPatchbay, eventually, greeter, guest, installed_peer, peer_folder};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::console_stories::{play, play_for, play_with};

fn run(command: &mut Command, what: &Path) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}: {said}\n{wrong}", what.display());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_logs_in_takes_a_chat_and_sees_the_answer_arrive_over_a_lost_connection() {
    play("agent.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_quickstart_works_by_clicks_from_a_webhook_to_the_answer_of_an_agent() {
    play_with("quickstart.mjs", &[greeter("Hello"), greeter("Welcome")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_agents_on_one_queue_see_who_takes_a_chat_and_to_whom_it_goes() {
    play("colleagues.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_is_shown_without_a_request_for_each_message_and_the_one_that_a_viewer_reads_keeps_its_place() {
    play("history.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chats_come_into_the_nine_lists_and_leave_them_by_themselves() {
    play("lists.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_sends_a_template_when_the_window_is_closed() {
    play("templates.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_uploads_the_file_of_a_template_and_those_of_its_cards() {
    play("template-file.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_answers_with_files_that_are_chosen_dropped_and_pasted_a_quote_and_a_reaction() {
    play("replies.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_panel_and_the_rows_of_a_customer_have_all_of_its_chats_and_facts_which_each_search_finds() {
    let client = SharedPatchbay::get().await.new_client().await;
    for plugin in ["clerk", "usher"] {
        client.install(plugin, guest(plugin)).await;
    }
    play_for(&client, "panel.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn canned_replies_and_colleagues_are_suggested_while_an_agent_writes() {
    play("suggestions.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_an_agent_and_a_supervisor_see_each_other_write_and_drafts_stay_with_their_chats() {
    play("typing.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_gives_a_chat_back_to_the_bot_passes_it_to_a_closed_team_and_closes_it() {
    let client = SharedPatchbay::get().await.new_client().await;
    client.install("greeter", greeter("Hello")).await;
    play_for(&client, "moves.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_contacts_are_merged_and_the_merge_is_undone() {
    play("contacts.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_attribute_is_defined_set_at_a_contact_changed_and_removed_with_its_values() {
    play("attributes.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_developer_finds_a_failed_webhook_mends_its_receiver_and_sends_it_again() {
    play("webhooks.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_developer_outside_the_client_opens_its_webhooks_alone_by_a_link_that_works_once() {
    play("links.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_makes_a_user_blocks_a_recipient_saves_a_rate_and_allows_sms_again() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    patchbay.credits(&client, 10);
    play_for(&client, "administration.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_admin_sees_the_sessions_of_a_user_and_ends_one() {
    play("sessions.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_developer_sends_to_the_recipients_of_a_csv_file_and_follows_a_message() {
    play("sends.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_send_is_checked_against_the_tier_as_a_whole_paused_resumed_and_cancelled() {
    let patchbay = SharedPatchbay::get().await;
    let client = patchbay.new_client().await;
    let event = json!({
        "type": "phone_quality", "phoneNumberId": format!("1{}", client.number), "event": "UPGRADE",
        "currentLimit": "TIER_1K",
    });
    patchbay.simulate("/simulator/events", &event).await;
    eventually("the tier", || async {
        let inboxes = client.get("/api/v1/inboxes").await.ok();
        (inboxes["content"][0]["tier"]["name"] == "TIER_1K").then_some(())
    })
    .await;
    play_for(&client, "batches.mjs", &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pages_of_developers_work_by_keyboard_and_on_small_screens_without_findings_of_axe() {
    play("developers.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_works_by_keyboard_and_on_small_screens_without_findings_of_axe() {
    play("access.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_and_each_of_its_controls_is_reached_by_keyboard_alone() {
    play_with("keyboard.mjs", &[greeter("Hello"), greeter("Welcome")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_and_a_supervisor_work_in_a_chat_by_keys_that_the_overlay_lists_in_both_languages() {
    play("chat-keys.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_is_rolled_out_by_canary_rolled_back_and_compared_as_a_shadow() {
    play_with("plugins.mjs", &[greeter("Hello"), greeter("Welcome")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_author_activates_for_one_inbox_by_a_schema_and_rolls_back_after_a_sentence() {
    play_with("author-places.mjs", &[guest("keeper")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_activation_sets_limits_of_http_requests_and_higher_ones_are_refused_at_their_fields() {
    play_with("http-limits.mjs", &[guest("errand-bot")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ready_flow_is_drawn_further_mended_tested_and_activated() {
    play("flows.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_gives_chats_away_and_keeps_teams_and_canned_replies() {
    play("supervision.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_gives_several_chats_away_except_for_those_that_agents_took() {
    play("reassign.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_sees_the_state_of_the_service_and_nothing_of_a_client() {
    play("operators.mjs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_fact_of_the_status_is_on_a_page_of_operators() {
    play("operator-facts.mjs").await;
}

#[test]
fn the_types_of_the_modules_are_right() {
    check_types("console");
}

#[test]
fn the_types_of_the_page_of_the_phones_are_right() {
    check_types("host/simulator/page");
}

#[test]
fn the_types_of_the_widget_are_right() {
    check_types("host/api-webchat/src/widget");
}

/// Checks the types of the modules in a folder, with the settings there.
fn check_types(folder: &str) {
    let settings = peer_folder("..").join("..").join(folder).join("tsconfig.json");
    run(
        Command::new("node")
            .arg(installed_peer("console").join("node/node_modules/typescript/bin/tsc"))
            .arg("-p")
            .arg(&settings),
        &settings,
    );
}

#[test]
fn each_language_has_the_texts_of_english_and_no_page_has_a_format_of_its_own() {
    let script = peer_folder("console").join("texts.mjs");
    run(Command::new("node").arg(&script), &script);
}

#[test]
fn a_send_has_the_values_of_the_header_the_body_the_buttons_and_the_cards_of_its_template() {
    let script = peer_folder("console").join("template-values.mjs");
    run(Command::new("node").arg(&script), &script);
}

#[test]
fn the_text_of_a_team_after_hours_is_no_step_of_the_bot() {
    let script = peer_folder("console").join("bot-steps.mjs");
    run(Command::new("node").arg(&script), &script);
}

#[test]
fn figures_have_each_day_up_to_today_in_the_time_zone_of_the_client() {
    let script = peer_folder("console").join("figure-days.mjs");
    run(Command::new("node").arg(&script), &script);
}

#[test]
fn a_live_event_puts_a_chat_into_the_lists_in_which_the_server_has_it() {
    let script = peer_folder("console").join("scopes.mjs");
    run(Command::new("node").arg(&script), &script);
}

#[test]
fn the_libraries_are_those_of_their_sums() {
    let vendor = peer_folder("..").join("../console/vendor");
    let sums = std::fs::read_to_string(vendor.join("SHA256SUMS")).unwrap();
    let mut named = BTreeSet::from(["SHA256SUMS".to_owned()]);
    for (sum, file) in sums.lines().map(|line| line.split_once("  ").unwrap()) {
        assert_eq!(hex::encode(Sha256::digest(std::fs::read(vendor.join(file)).unwrap())), sum, "{file}");
        named.insert(file.to_owned());
    }
    let entries = std::fs::read_dir(vendor).unwrap();
    let present: BTreeSet<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(present, named);
}

#[test]
fn the_ready_flows_of_the_console_are_those_of_the_plugin() {
    let script = peer_folder("console").join("ready-flows.mjs");
    run(Command::new("node").arg(&script), &script);
}

#[tokio::test]
async fn each_guide_to_which_the_console_links_is_served() {
    let console = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("../console");
    let mut guides = BTreeSet::new();
    let mut folders = vec![console];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "js") {
                let text = std::fs::read_to_string(&path).unwrap();
                let links = text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
                guides.extend(links.filter(|link| link.starts_with("/docs/")).map(str::to_owned));
            }
        }
    }
    assert!(!guides.is_empty());
    let patchbay = SharedPatchbay::get().await;
    for guide in guides {
        let page = patchbay.http.get(format!("{}{guide}", patchbay.url())).send().await.unwrap();
        assert_eq!(page.status(), 200, "{guide}");
    }
}
