//! The configuration from the user's side: files, environment variables, error messages, output, documentation.
#![expect(clippy::unwrap_used, reason = "a test that panics has failed, which is what it is for")]

use std::{env, fs, path::PathBuf, time::Duration};

use settings::{ConfigError, LogFormat, MediaPlace, Settings, SettingsTable, Sources};

fn from_file(text: &str) -> Result<Settings, ConfigError> {
    let file = Some((PathBuf::from("patchbay.toml"), text.to_owned()));
    Settings::from_sources(Sources { file, ..Sources::default() })
}

fn from_environment(variables: &[(&str, &str)]) -> Result<Settings, ConfigError> {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Settings::from_sources(Sources { variables, ..Sources::default() })
}

fn refusal(result: Result<Settings, ConfigError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn without_file_and_environment_the_defaults_of_the_contract_hold() {
    let config = from_file("").unwrap();
    assert_eq!(config.data_dir(), PathBuf::from(".patchbay"));
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.simulator.listen.to_string(), "127.0.0.1:8090");
    assert_eq!(config.whatsapp_cloud.api_version, "v25.0");
    assert_eq!(config.webhooks.retry_schedule.len(), 9);
    assert_eq!(config.webhooks.retry_schedule[1], Duration::from_secs(300));
    assert_eq!(config.limits.max_recipients, 1_000);
    assert!(config.server.workers && config.simulator_on() && config.database.url.is_none());
}

#[test]
fn the_plugin_interface_shows_the_limits_of_a_client_and_of_a_chat() {
    let interface = include_str!("../../../wit/plugin-0.3.0/types.wit");
    let config = from_file("").unwrap();
    let limits = &config.limits;
    let (requests, messages) = (limits.plugin_open_requests_per_client, limits.bot_chat_messages_per_hour);
    let (keys, mebibytes) = (limits.kv_keys_per_participant, limits.kv_bytes_per_client >> 20);
    for row in [
        format!("`http.start`: open requests of a client | {requests} | `plugin_open_requests_per_client`"),
        format!(
            "messages of a chat in an hour, both ways; then agents take over | {messages} | `bot_chat_messages_per_hour`"
        ),
        format!("`kv`: keys of a plugin for one participant | {keys} | `kv_keys_per_participant`"),
        format!(
            "`kv`: bytes of all plugins of a client, with 64 for each key | {mebibytes} MiB | `kv_bytes_per_client`"
        ),
    ] {
        let row = format!("/// | {row} |");
        assert!(interface.lines().any(|line| line == row), "wit/plugin-0.3.0/types.wit has no line\n{row}");
    }
}

#[test]
fn a_credential_overrides_the_file_and_the_environment_overrides_both() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("patchbay_database.url"), "postgres://app:pw@db.example/patchbay\n").unwrap();
    fs::write(folder.path().join("patchbay_data_dir"), "/from/credential").unwrap();
    fs::write(folder.path().join("another.program"), "ignored").unwrap();
    let sources = |variables: Vec<(String, String)>| Sources {
        file: Some(("p.toml".into(), "data_dir = \"/from/file\"".to_owned())),
        credentials: Some(folder.path().to_owned()),
        variables,
    };
    let config = Settings::from_sources(sources(vec![])).unwrap();
    assert_eq!(config.data_dir(), PathBuf::from("/from/credential"));
    assert_eq!(config.database.url.unwrap().expose(), "postgres://app:pw@db.example/patchbay");
    let variable = ("PATCHBAY__DATA_DIR".to_owned(), "/from/environment".to_owned());
    assert_eq!(Settings::from_sources(sources(vec![variable])).unwrap().data_dir(), PathBuf::from("/from/environment"));
}

#[test]
fn an_error_in_a_credential_names_its_file_and_not_its_value() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("patchbay_security.master_kay");
    fs::write(&file, "a-secret").unwrap();
    let credentials = Some(folder.path().to_owned());
    let said = refusal(Settings::from_sources(Sources { credentials, ..Sources::default() }));
    assert!(said.contains(&file.display().to_string()) && said.contains("security.master_key"), "{said}");
    assert!(!said.contains("a-secret"), "{said}");
}

#[test]
fn a_variable_with_one_underscore_instead_of_two_is_refused() {
    for variable in ["PATCHBAY_SERVER__LISTEN", "PATCHBAY_SERVER_LISTEN"] {
        let said = refusal(from_environment(&[(variable, "0.0.0.0:2")]));
        assert!(said.contains("write PATCHBAY__SERVER__LISTEN"), "{said}");
    }
    from_environment(&[("PATCHBAY_URL", "https://patchbay.example")]).unwrap();
}

#[test]
fn an_error_in_a_list_names_the_item() {
    let said = refusal(from_file("[server]\ntrusted_proxies = [\"10.0.0.0/8\", \"10.0.0.0/64\"]"));
    assert!(said.contains("got the string \"10.0.0.0/64\""), "{said}");
}

#[test]
fn the_environment_overrides_the_file() {
    let file =
        "data_dir = \"/from/file\"\n[server]\nlisten = \"127.0.0.1:1\"\nworkers = false\n[logging]\nformat = \"json\"";
    let variables = [("PATCHBAY__SERVER__LISTEN", "0.0.0.0:2"), ("PATCHBAY__DATA_DIR", "/from/environment")];
    let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let file = Some(("p.toml".into(), file.to_owned()));
    let config = Settings::from_sources(Sources { file, variables, ..Sources::default() }).unwrap();
    assert_eq!(config.server.listen.to_string(), "0.0.0.0:2");
    assert_eq!(config.data_dir(), PathBuf::from("/from/environment"));
    assert!(!config.server.workers, "a value that only the file has stays");
    assert_eq!(config.logging.format, LogFormat::Json);
}

#[test]
fn variables_of_other_programs_are_ignored() {
    let config = from_environment(&[("PATCHBAY_URL", "http://x"), ("PATCHBAY_API_KEY", "k"), ("PGPORT", "1")]);
    assert!(config.is_ok());
}

#[test]
fn an_unknown_key_is_named_with_those_that_look_like_it() {
    assert_eq!(
        refusal(from_file("[server]\nlisen = \"127.0.0.1:1\"")),
        "unknown setting server.lisen in patchbay.toml; did you mean server.listen?"
    );
    assert_eq!(
        refusal(from_environment(&[("PATCHBAY__DATABASE__CONNECTION_STRING", "x")])),
        "unknown setting database.connection_string in the environment variable \
         PATCHBAY__DATABASE__CONNECTION_STRING; `patchbay config` lists all settings"
    );
    let misplaced = refusal(from_file("listen = \"127.0.0.1:1\""));
    assert!(misplaced.contains("did you mean one of") && misplaced.contains("server.listen"), "{misplaced}");
    assert_eq!(
        refusal(from_file("[servers]\nlisten = \"x\"")),
        "unknown setting servers in patchbay.toml; did you mean server?"
    );
}

#[test]
fn a_wrong_type_names_the_key_and_the_expected_type() {
    for (text, message) in [
        (
            "[limits]\nmax_recipients = \"many\"",
            format!("limits.max_recipients in patchbay.toml: expected a whole number from 0 to {}, got the string \"many\"", usize::MAX),
        ),
        (
            "[server]\nworkers = 1",
            "server.workers in patchbay.toml: expected true or false, got the number 1".to_owned(),
        ),
        (
            "[limits]\nunknown_after = \"soon\"",
            "limits.unknown_after in patchbay.toml: expected a duration such as \"500ms\", \"5s\", \"5m\", \"2h\" or \"1d\", \
             got the string \"soon\""
                .to_owned(),
        ),
        ("server = 1", "server in patchbay.toml is a section: write its settings as [server] or server.NAME = VALUE".to_owned()),
    ] {
        assert_eq!(refusal(from_file(text)), message);
    }
    assert_eq!(
        refusal(from_environment(&[("PATCHBAY__SERVER__LISTEN", "8080")])),
        "server.listen in the environment variable PATCHBAY__SERVER__LISTEN: expected an address with a port, \
         such as \"127.0.0.1:8080\", got \"8080\""
    );
    assert!(from_file("[limits]\nmax_recipients = -1").is_err());
}

#[test]
fn a_wrong_secret_is_not_repeated() {
    let message = refusal(from_environment(&[("PATCHBAY__DATABASE__URL", "hunter2")]));
    assert!(message.contains("database.url") && !message.contains("hunter2"), "{message}");
    let message = refusal(from_environment(&[("PATCHBAY__SECURITY__MASTER_KEY", "hunter2")]));
    assert!(message.contains("security.master_key: expected 32 bytes in base64") && !message.contains("hunter2"));
}

#[test]
fn invalid_toml_is_reported_by_line_and_column_only() {
    for (text, place) in [
        ("[security]\nmaster_key = \"hunter2", "line 2, column"),
        ("[whatsapp_cloud]\napp_secret = hunter2", "line 2, column 14"),
        ("[database]\nurl = \"postgres://app:hunter2@db\"\nurl = \"postgres://app:hunter2@db\"", "line 3, column 1"),
        ("[messenger]\n\napp_secret = \"\\hunter2\"", "line 3, column"),
    ] {
        let error = from_file(text).unwrap_err();
        let told = format!("{:#}", anyhow::Error::from(error));
        assert!(told.contains(place) && !told.contains("hunter2"), "{text}: {told}");
    }
}

#[test]
fn credentials_in_a_refused_url_are_not_repeated() {
    for key in [
        "DATABASE__URL",
        "SERVER__PUBLIC_URL",
        "WHATSAPP_CLOUD__GRAPH_URL",
        "MESSENGER__GRAPH_URL",
        "WHATSAPP_LITE__SIMULATOR_URL",
        "WHATSAPP_LITE__BRIDGE_URL",
        "MEDIA__S3_ENDPOINT",
        "MEDIA__STORE",
        "SMPP__URL",
        "EMAIL__RELAY",
        "SERVER__LITE_HOST",
        "SERVER__SMS_HOST",
        "SERVER__BATCH_HOST",
        "PLUGINS__DIR",
        "DATA_DIR",
    ] {
        for url in [
            "smpp://id@host.example?passwd=hunter2",
            "smpp://id@host.example?hunter2",
            "smpp://id@host.example?rate=hunter2",
            "smpp://id@host.example?name=ok&mode=hunter2",
            "smtp://relay.example?tls=hunter2",
            "smtp://relay.example?user=hunter2",
            "postgres://db.example/patchbay?sslmode=hunter2",
            "postgres://db.example/patchbay?passwd=hunter2",
            "postgres://db.example/patchbay?options=-cpassword%3Dhunter2",
            "postgres://db.example/patchbay?port=hunter2",
            "http://:hunter2@host.example",
            "http://hunter2@host.example/?",
            "http://user:hunter2/hunter2@host.example",
            "http://user:hunter2 @host.example",
            "ftp://user:hunter2@host.example",
            "user:hunter2@host.example",
            "http://host.example?token=hunter2",
            "http://host.example#hunter2",
        ] {
            // A path may have any characters, and only a URL has a password.
            if key.ends_with("DIR") && !url.contains("://") {
                continue;
            }
            let variable = format!("PATCHBAY__{key}");
            let told = match from_environment(&[(&variable, url)]) {
                Ok(config) => config.to_toml(),
                Err(error) => format!("{:#}", anyhow::Error::from(error)),
            };
            assert!(!told.contains("hunter2"), "{key} = {url}: {told}");
        }
    }
}

#[test]
fn a_password_without_a_user_is_refused() {
    for (key, url) in [
        ("SERVER__PUBLIC_URL", "https://:hunter2@host.example"),
        ("WHATSAPP_LITE__BRIDGE_URL", "http://:hunter2@host.example"),
        ("DATABASE__URL", "postgres://:hunter2@db.example/patchbay"),
        ("EMAIL__RELAY", "smtp://:hunter2@relay.example"),
    ] {
        let message = refusal(from_environment(&[(&format!("PATCHBAY__{key}"), url)]));
        assert!(message.contains("expected") && !message.contains("hunter2"), "{message}");
    }
}

#[test]
fn the_output_masks_passwords_and_secret_options_of_urls() {
    let config = from_environment(&[
        ("PATCHBAY__EMAIL__RELAY", "smtps://hunter:hunter2@relay.example?tls=required"),
        ("PATCHBAY__DATABASE__URL", "postgres://db.example/patchbay?sslmode=require&sslkey=hunter2#hunter2"),
    ])
    .unwrap();
    let output = config.effective().to_toml();
    assert!(
        !output.contains("hunter2") && output.contains("tls=required") && output.contains("sslmode=require"),
        "{output}"
    );
}

#[test]
fn lists_come_as_json_as_commas_or_as_a_single_string() {
    let seconds = |config: &Settings| config.webhooks.retry_schedule.iter().map(Duration::as_secs).collect::<Vec<_>>();
    let key = "PATCHBAY__WEBHOOKS__RETRY_SCHEDULE";
    assert_eq!(seconds(&from_environment(&[(key, r#"["1s","2m"]"#)]).unwrap()), [1, 120]);
    assert_eq!(seconds(&from_environment(&[(key, "1s, 1h ,2d")]).unwrap()), [1, 3_600, 172_800]);
    assert_eq!(seconds(&from_environment(&[(key, "")]).unwrap()), [] as [u64; 0]);
    assert!(from_environment(&[(key, "1s,later")]).is_err());
    let config = from_file("[smpp]\nurl = \"smpp://id:pw@127.0.0.1:2775\"").unwrap();
    assert_eq!(config.smpp.url[0].expose(), "smpp://id:pw@127.0.0.1:2775");
    let config = from_file("[server]\ntrusted_proxies = [\"10.0.0.0/8\", \"192.0.2.1\"]").unwrap();
    assert_eq!(config.server.trusted_proxies[1].to_string(), "192.0.2.1/32");
}

#[test]
fn values_that_cannot_work_together_are_refused_at_start() {
    for (text, key) in [
        ("[server]\ntls_cert = \"cert.pem\"", "server.tls_key"),
        ("[server]\ntls_key = \"key.pem\"", "server.tls_cert"),
        ("[server]\nbatch_tls_listen = \"127.0.0.1:8443\"", "server.batch_tls_listen"),
        ("[database]\nurl = \"mysql://db/patchbay\"", "database.url"),
        ("[smpp]\nurl = [\"smpp://127.0.0.1:2775\"]", "smpp.url"),
        ("[smpp]\nurl = [\"smpp://id:pw@127.0.0.1:2775?windw=8\"]", "smpp.url"),
        ("[sms]\ndefault_source = \"A NAME TOO LONG\"", "sms.default_source"),
        ("[whatsapp_cloud]\napi_version = \"25\"", "whatsapp_cloud.api_version"),
        ("[limits]\nplugin_chatbot_timeout = \"0s\"", "limits.plugin_chatbot_timeout"),
        ("[limits]\nplugin_http_timeout = \"60s\"", "limits.plugin_http_timeout"),
        ("[limits]\nplugin_chatbot_timeout = \"2s\"", "limits.plugin_http_timeout"),
        ("[limits]\nplugin_http_response_bytes = 100663296", "limits.plugin_http_response_bytes"),
        ("[limits]\nplugin_hostcall_fuel = 65536", "limits.plugin_http_request_bytes"),
        ("[limits]\nwebhook_connect_timeout = \"1m\"", "limits.webhook_connect_timeout"),
        ("[retention]\nmessage_days = 0", "retention.message_days"),
        ("[media]\nstore = \"s3://files\"", "media.s3_access_key"),
        ("[media]\nstore = \"s3://files\"\ns3_access_key = \"id\"", "media.s3_secret_key"),
        ("[media]\nstore = \"s3://id:hunter2@files\"", "media.store"),
        ("[media]\nstore = \"s3://files?region=here\"", "media.store"),
        ("[openid]\nissuer = \"https://login.example\"", "openid.client_id"),
        ("[openid]\nissuer = \"http://login.example\"\nclient_id = \"a\"", "openid.issuer"),
        ("[openid]\nissuer = \"https://login.example?a=b\"\nclient_id = \"a\"", "openid.issuer"),
        ("[openid]\nissuer = \"https://login.example\"\nclient_id = \"a\"\nname = \" \"", "openid.name"),
    ] {
        let message = refusal(from_file(text));
        assert!(message.starts_with(&format!("{key}: ")), "{text}: {message}");
    }
}

#[test]
fn the_issuer_of_a_login_provider_stays_as_it_is_written() {
    for issuer in ["https://login.example", "https://login.example/realms/staff/", "http://127.0.0.1:8443"] {
        let config = from_file(&format!("[openid]\nissuer = \"{issuer}\"\nclient_id = \"a\"")).unwrap();
        assert_eq!(config.openid_settings().unwrap().issuer, issuer);
    }
    assert!(from_file("").unwrap().openid_settings().is_none());
}

#[test]
fn the_output_masks_secrets_and_passwords_in_urls() {
    let config = from_environment(&[
        ("PATCHBAY__DATABASE__URL", "postgres://app:hunter2@db.example/patchbay?password=hunter2&sslmode=require"),
        ("PATCHBAY__SMPP__URL", "smpp://id:hunter2@127.0.0.1:2775"),
        ("PATCHBAY__EMAIL__RELAY", "smtps://mail:hunter2@relay.example"),
        ("PATCHBAY__WHATSAPP_CLOUD__APP_SECRET", "hunter2"),
        ("PATCHBAY__OPENID__CLIENT_SECRET", "hunter2"),
        ("PATCHBAY__SECURITY__MASTER_KEY", "aHVudGVyMmh1bnRlcjJodW50ZXIyaHVudGVyMjIyMjI="),
    ])
    .unwrap();
    let output = config.effective().to_toml();
    assert!(!output.contains("hunter2") && !output.contains("aHVudGVy"), "{output}");
    assert!(!format!("{config:?}").contains("hunter2"));
    assert!(
        output.contains("postgres://app:********@db.example/patchbay?password=********&sslmode=require"),
        "{output}"
    );
    assert!(output.contains("url = [\"smpp://id:********@127.0.0.1:2775\"]"), "{output}");
    assert!(output.contains("app_secret = \"********\"\nverify_token = \"\""), "{output}");
    assert_eq!(config.database.url.unwrap().expose().matches("hunter2").count(), 2, "the program still has it");
}

#[test]
fn the_output_is_an_equivalent_configuration() {
    let config =
        from_file("[webhooks]\nretry_schedule = [\"90s\", \"36h\"]\n[limits]\nmax_body_bytes = 1_000").unwrap();
    let output = config.effective().to_toml();
    assert!(output.contains("retry_schedule = [\"90s\", \"36h\"]"), "{output}");
    assert_eq!(from_file(&output).unwrap().effective().to_toml(), output);
}

#[test]
fn the_simulator_runs_while_no_provider_is_configured() {
    let on = |text: &str| from_file(text).unwrap().simulator_on();
    assert!(!on("[smpp]\nurl = \"smpp://id:pw@127.0.0.1:2775\""));
    assert!(!on("[whatsapp_cloud]\napp_secret = \"s\""));
    assert!(!on("[messenger]\napp_secret = \"s\""));
    assert!(!on("[messenger]\ngraph_url = \"http://127.0.0.1:1\""));
    assert!(on("[whatsapp_cloud]\napp_secret = \"s\"\n[simulator]\nenabled = true"));
    assert!(!on("[simulator]\nenabled = false"));
    let shown = from_file("").unwrap().effective().to_toml();
    assert!(shown.contains("graph_url = \"http://127.0.0.1:8090\"") && shown.contains("enabled = true"), "{shown}");
    let shown = from_file("[simulator]\nenabled = false").unwrap().effective().to_toml();
    assert!(shown.contains("graph_url = \"https://graph.facebook.com\""), "{shown}");
}

#[test]
fn files_of_customers_are_kept_where_every_process_on_the_database_finds_them() {
    let kept = |text: &str| from_file(text).unwrap().media_place();
    assert_eq!(kept(""), MediaPlace::Folder(".patchbay/media".into()));
    assert_eq!(kept("[database]\nurl = \"postgres://db/patchbay\""), MediaPlace::Database);
    assert_eq!(kept("[media]\nstore = \"database\""), MediaPlace::Database);
    let folder = "[database]\nurl = \"postgres://db/patchbay\"\n[media]\nstore = \"/srv/media\"";
    assert_eq!(kept(folder), MediaPlace::Folder("/srv/media".into()));
    let bucket = "[media]\nstore = \"s3://files/of\"\ns3_access_key = \"id\"\ns3_secret_key = \"hunter2\"";
    assert_eq!(kept(bucket), MediaPlace::Bucket("s3://files/of".parse().unwrap()));
    assert!(!from_file(bucket).unwrap().effective().to_toml().contains("hunter2"));
    assert_eq!(
        refusal(from_file("[media]\nstore = \"databse\"")),
        "media.store in patchbay.toml: expected \"database\", the path of a folder such as \"/srv/media\", or \
         \"s3://bucket/prefix\", got the string \"databse\""
    );
}

#[test]
fn a_file_named_on_the_command_line_must_exist() {
    let error = Settings::load(Some("/nonexistent/patchbay.toml".as_ref())).unwrap_err();
    assert!(matches!(error, ConfigError::Missing { .. }), "{error}");
}

/// `UPDATE_DOCS=1 cargo test -p settings --test configuration` rewrites the tables.
#[test]
fn the_documentation_lists_every_setting_with_its_default() {
    let path = format!("{}/../../docs/operations.md", env::var("CARGO_MANIFEST_DIR").unwrap());
    let path = env::var("OPERATIONS_MD").unwrap_or(path);
    let mut text = fs::read_to_string(&path).unwrap();
    for table in [SettingsTable::Settings, SettingsTable::Limits, SettingsTable::Retention] {
        let (begin, end) = (format!("<!-- {}:begin -->\n", table.marker()), format!("<!-- {}:end -->", table.marker()));
        let start = text.find(&begin).expect("the marker of the table") + begin.len();
        let length = text[start..].find(&end).expect("the end marker of the table");
        if env::var_os("UPDATE_DOCS").is_some() {
            text.replace_range(start..start + length, &table.markdown());
        } else {
            assert_eq!(
                text[start..start + length],
                table.markdown(),
                "run with UPDATE_DOCS=1 to write the table again"
            );
        }
    }
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, text).unwrap();
    }
}
