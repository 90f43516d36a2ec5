//! The JSON of users (CONTRACT 7).

use domain::iso_time::iso_time;
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
    /// Id of the user.
    #[schema(value_type = Uuid)]
    id: UserId,
    /// E-mail address, for the login.
    #[schema(examples("thandi@acme.example"))]
    email: String,
    /// Displayed name.
    #[schema(examples("Thandi"))]
    name: String,
    /// Role of the user.
    #[schema(value_type = RoleName)]
    role: &'static str,
    /// Name of the user's team.
    team: Option<String>,
    /// Id of the user's team.
    #[schema(value_type = Option<Uuid>)]
    team_id: Option<TeamId>,
    /// `true`: the user gets chats by automatic assignment.
    available: bool,
    /// Maximum chats at the same time. If null, the operator's limit.
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
            created_time: iso_time(user.created_at),
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
    /// Shown only once. The user can only change it (`changePassword`), and then log in.
    pub temporary_password: String,
}

/// A temporary password.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemporaryPassword)]
pub(crate) struct TemporaryPasswordBody {
    /// Shown only once. The user can only change it (`changePassword`), and then log in.
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
    /// Displayed name, 1 to 200 characters.
    #[schema(required, nullable = false)]
    name: Option<String>,
    /// Role of the user.
    #[schema(value_type = Option<RoleName>, required, nullable = false)]
    role: Option<String>,
    /// Name of an existing team.
    team: Option<String>,
}

impl CreateUserBody {
    /// Checks that the fields are present and readable. The use case checks their values.
    pub fn judged(self) -> Result<Invitation, Faults> {
        let mut faults = Faults::default();
        let (email, name) = (faults.required_text("email", self.email), faults.required_text("name", self.name));
        let role = faults.required_text("role", self.role);
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
    /// Displayed name, 1 to 200 characters.
    #[schema(nullable = false)]
    pub name: Option<String>,
    /// Role of the user.
    #[schema(value_type = Option<RoleName>, nullable = false)]
    pub role: Option<String>,
    /// Name of an existing team. If null, no team.
    #[serde(default, deserialize_with = "body::given")]
    #[schema(value_type = Option<String>)]
    pub team: Option<Option<String>>,
}
