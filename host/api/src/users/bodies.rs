//! What users look like in requests and answers (CONTRACT 7).

use chrono::SecondsFormat;
use domain::{
    body::{self, Faults, FieldFault},
    ids::{TeamId, UserId},
};
use serde::{Deserialize, Serialize};
use tenancy::accounts::{
    Role,
    users::{Invitation, Profile},
};
use utoipa::ToSchema;

/// A user. No credentials.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = User)]
pub(crate) struct UserBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: UserId,
    /// What it logs in with.
    #[schema(examples("thandi@acme.example"))]
    email: String,
    /// The name that people read.
    #[schema(examples("Thandi"))]
    name: String,
    /// `ADMIN`, `SUPERVISOR`, `AGENT`, `DEVELOPER` or `API`.
    #[schema(examples("AGENT"))]
    role: &'static str,
    /// Name of its team.
    team: Option<String>,
    /// Id of its team.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<TeamId>,
    /// Whether it takes chats that are given out by themselves.
    available: bool,
    /// Chats at a time; null = the operator's limit.
    chat_limit: Option<i32>,
    /// When it was created.
    #[schema(format = DateTime)]
    created_time: String,
}

impl From<Profile> for UserBody {
    fn from(user: Profile) -> Self {
        let (team_id, team) = user.team.unzip();
        Self {
            id: user.id,
            email: user.email,
            name: user.name,
            role: user.role.as_str(),
            team,
            team_id,
            available: user.available,
            chat_limit: user.chat_limit,
            created_time: user.created_at.to_rfc3339_opts(SecondsFormat::Millis, true),
        }
    }
}

/// A new user, and what it chooses its password with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedUser)]
pub(crate) struct CreatedUserBody {
    /// The user.
    #[serde(flatten)]
    pub user: UserBody,
    /// Shown this once, and good for nothing but choosing another.
    pub temporary_password: String,
}

/// What a user chooses its password with.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemporaryPassword)]
pub(crate) struct TemporaryPasswordBody {
    /// Shown this once, and good for nothing but choosing another.
    pub temporary_password: String,
}

/// A user to be.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(
    as = NewUser,
    examples(json!({"email": "thandi@acme.example", "name": "Thandi", "role": "AGENT", "team": "Sales"})),
)]
pub(super) struct CreateUserBody {
    /// Unique within the client, whatever its case.
    #[schema(required, nullable = false)]
    email: Option<String>,
    /// The name that people read, 1 to 200 characters.
    #[schema(required, nullable = false)]
    name: Option<String>,
    /// `ADMIN`, `SUPERVISOR`, `AGENT`, `DEVELOPER` or `API`.
    #[schema(required, nullable = false)]
    role: Option<String>,
    /// Name of a team that exists.
    team: Option<String>,
}

impl CreateUserBody {
    /// What is there and readable; whether it is fit to be stored, the use case says.
    pub fn judged(self) -> Result<Invitation, Faults> {
        let mut faults = Faults::default();
        let mut required = |field: &str, value: Option<String>| {
            value.unwrap_or_else(|| {
                faults.push(FieldFault::required(field));
                String::new()
            })
        };
        let (email, name) = (required("email", self.email), required("name", self.name));
        let role = required("role", self.role);
        let role = match role.parse::<Role>() {
            Ok(role) => Some(role),
            Err(_) if role.is_empty() && !faults.is_empty() => None,
            Err(error) => {
                faults.push(FieldFault::new("role", error.to_string()));
                None
            }
        };
        match role {
            Some(role) if faults.is_empty() => Ok(Invitation { email, name, role, team: self.team }),
            _ => Err(faults),
        }
    }
}

/// What is to change of a user; what is left out stays.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserChange, examples(json!({"name": "Thandi M.", "role": "SUPERVISOR", "team": null})))]
pub(super) struct ChangeUserBody {
    /// The name that people read, 1 to 200 characters.
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// `ADMIN`, `SUPERVISOR`, `AGENT`, `DEVELOPER` or `API`.
    #[schema(nullable = false)]
    pub role: Option<String>,
    /// Name of a team that exists; null = none.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>)]
    pub team: Option<Option<String>>,
}
