//! The configuration: `patchbay.toml`, overridden by `PATCHBAY__SECTION__KEY` (CONTRACT 2).

mod check;
mod defaults;
mod email;
mod error;
mod limits;
mod load;
mod masking;
mod media_place;
mod messenger;
mod openid;
mod secret;
mod section;
mod sections;
mod show;
mod sms;
mod telegram;
mod traces;
mod value;
mod whatsapp_cloud;
mod whatsapp_lite;

pub use defaults::META_GRAPH_URL;
pub use email::Email;
pub use error::{ConfigError, SettingSource};
pub use limits::{Limits, Retention};
pub use load::Sources;
pub use media_place::MediaPlace;
pub use messenger::Messenger;
pub use openid::Openid;
pub use secret::{BaseUrl, Secret, SecretUrl};
pub use section::{Section, Setting};
pub use sections::{Base, DatabaseSettings, Logging, Media, Plugins, Security, Server, Simulator, Testing, Webhooks};
pub use show::SettingsTable;
pub use sms::{Smpp, Sms};
pub use telegram::{BOT_API_URL, Telegram};
pub use traces::Traces;
pub use value::{LogFormat, Switch, spell_duration};
pub use whatsapp_cloud::WhatsappCloud;
pub use whatsapp_lite::WhatsappLite;

use std::path::Path;

/// All settings of a process. They are read once at the start and not reloaded.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Settings without a section: see [`Settings::data_dir`].
    pub base: Base,
    pub database: DatabaseSettings,
    pub server: Server,
    pub whatsapp_cloud: WhatsappCloud,
    pub whatsapp_lite: WhatsappLite,
    pub messenger: Messenger,
    pub telegram: Telegram,
    pub smpp: Smpp,
    pub email: Email,
    pub webhooks: Webhooks,
    pub security: Security,
    pub media: Media,
    pub plugins: Plugins,
    pub simulator: Simulator,
    pub sms: Sms,
    pub logging: Logging,
    pub openid: Openid,
    pub traces: Traces,
    pub testing: Testing,
    pub limits: Limits,
    pub retention: Retention,
}

impl Settings {
    pub fn data_dir(&self) -> &Path {
        &self.base.data_dir
    }

    /// All sections by name. The one without a name has `data_dir`.
    pub fn sections(&self) -> Vec<(&'static str, &dyn Section)> {
        vec![
            ("", &self.base),
            ("database", &self.database),
            ("server", &self.server),
            ("whatsapp_cloud", &self.whatsapp_cloud),
            ("whatsapp_lite", &self.whatsapp_lite),
            ("messenger", &self.messenger),
            ("telegram", &self.telegram),
            ("smpp", &self.smpp),
            ("email", &self.email),
            ("webhooks", &self.webhooks),
            ("security", &self.security),
            ("media", &self.media),
            ("plugins", &self.plugins),
            ("simulator", &self.simulator),
            ("sms", &self.sms),
            ("logging", &self.logging),
            ("openid", &self.openid),
            ("traces", &self.traces),
            ("testing", &self.testing),
            ("limits", &self.limits),
            ("retention", &self.retention),
        ]
    }

    fn section_mut(&mut self, name: &str) -> Option<&mut dyn Section> {
        Some(match name {
            "" => &mut self.base,
            "database" => &mut self.database,
            "server" => &mut self.server,
            "whatsapp_cloud" => &mut self.whatsapp_cloud,
            "whatsapp_lite" => &mut self.whatsapp_lite,
            "messenger" => &mut self.messenger,
            "telegram" => &mut self.telegram,
            "smpp" => &mut self.smpp,
            "email" => &mut self.email,
            "webhooks" => &mut self.webhooks,
            "security" => &mut self.security,
            "media" => &mut self.media,
            "plugins" => &mut self.plugins,
            "simulator" => &mut self.simulator,
            "sms" => &mut self.sms,
            "logging" => &mut self.logging,
            "openid" => &mut self.openid,
            "traces" => &mut self.traces,
            "testing" => &mut self.testing,
            "limits" => &mut self.limits,
            "retention" => &mut self.retention,
            _ => return None,
        })
    }

    fn keys(&self) -> Vec<String> {
        let sections = self.sections();
        let keys = sections
            .iter()
            .flat_map(|(section, settings)| settings.settings().into_iter().map(|setting| join(section, setting.name)));
        keys.collect()
    }
}

fn join(section: &str, name: &str) -> String {
    if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") }
}
