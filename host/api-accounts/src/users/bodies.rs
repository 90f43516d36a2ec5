//! The JSON of users (CONTRACT 7).

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

use crate::closed_sets::RoleName;

/// A user, without credentials.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = User)]
pub(crate) struct UserBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: UserId,
    /// E-mail address, for the login.
    #[schema(examples("thandi@acme.example"))]
    email: String,
    /// The name for people.
    #[schema(examples("Thandi"))]
    name: String,
    /// Its role.
    #[schema(value_type = RoleName)]
    role: &'static str,
    /// Name of its team.
    team: Option<String>,
    /// Id of its team.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<TeamId>,
    /// `true`: the user gets chats by automatic assignment.
    available: bool,
    /// Chats at a time. Null: the operator's limit.
    chat_limit: Option<i32>,
    /// Time of creation.
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

/// A new user with a temporary password.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = CreatedUser)]
pub(crate) struct CreatedUserBody {
    /// The user.
    #[serde(flatten)]
    pub user: UserBody,
    /// Shown only once. It can only be used to choose a password.
    pub temporary_password: String,
}

/// A temporary password.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemporaryPassword)]
pub(crate) struct TemporaryPasswordBody {
    /// Shown only once. It can only be used to choose a password.
    pub temporary_password: String,
}

/// A new user.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(
    as = NewUser,
    examples(json!({"email": "thandi@acme.example", "name": "Thandi", "role": "AGENT", "team": "Sales"})),
)]
pub(super) struct CreateUserBody {
    /// E-mail address, unique within the client, in any case.
    #[schema(required, nullable = false)]
    email: Option<String>,
    /// The name for people, 1 to 200 characters.
    #[schema(required, nullable = false)]
    name: Option<String>,
    /// Its role.
    #[schema(value_type = Option<RoleName>, required, nullable = false)]
    role: Option<String>,
    /// Name of an existing team.
    team: Option<String>,
}

impl CreateUserBody {
    /// Checks that the fields are present and readable. The use case checks their values.
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

/// Changes of a user. Absent fields stay as they are.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(as = UserChange, examples(json!({"name": "Thandi M.", "role": "SUPERVISOR", "team": null})))]
pub(super) struct ChangeUserBody {
    /// The name for people, 1 to 200 characters.
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// Its role.
    #[schema(value_type = Option<RoleName>, nullable = false)]
    pub role: Option<String>,
    /// Name of an existing team. Null: no team.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>)]
    pub team: Option<Option<String>>,
}
