//! The audience of live events: a caller gets no event that it may not see (`docs/live-events.md`).

use std::collections::BTreeSet;

use crate::{
    chat::ParticipantState,
    ids::{TeamId, UserId},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Viewer {
    Everything,
    /// An agent: own chats, those of the team, and those in the queue.
    Agent {
        user: UserId,
        team: Option<TeamId>,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audience {
    agents: BTreeSet<UserId>,
    teams: BTreeSet<TeamId>,
    everybody: bool,
}

impl Audience {
    /// Adds the agents that see a chat in this state: its agent, that agent's team, its own team, or all in the queue.
    pub fn add(&mut self, state: ParticipantState, agent: Option<(UserId, Option<TeamId>)>, team: Option<TeamId>) {
        match state {
            ParticipantState::Bot => return,
            ParticipantState::Queued => self.everybody = true,
            ParticipantState::Active | ParticipantState::Closed => {}
        }
        if let Some((agent, teammates)) = agent {
            self.agents.insert(agent);
            self.teams.extend(teammates);
        }
        self.teams.extend(team);
    }

    /// Adds an agent, whichever chats it sees.
    pub fn add_agent(&mut self, agent: UserId) {
        self.agents.insert(agent);
    }

    pub fn admits(&self, viewer: &Viewer) -> bool {
        match viewer {
            Viewer::Everything => true,
            Viewer::Agent { user, team } => {
                self.everybody || self.agents.contains(user) || team.is_some_and(|team| self.teams.contains(&team))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const ANN: UserId = UserId(Uuid::from_u128(1));
    const BEN: UserId = UserId(Uuid::from_u128(2));
    const SALES: TeamId = TeamId(Uuid::from_u128(3));
    const CARE: TeamId = TeamId(Uuid::from_u128(4));

    fn told(state: ParticipantState, agent: Option<(UserId, Option<TeamId>)>, team: Option<TeamId>) -> Audience {
        let mut audience = Audience::default();
        audience.add(state, agent, team);
        audience
    }

    fn agent(user: UserId, team: Option<TeamId>) -> Viewer {
        Viewer::Agent { user, team }
    }

    #[test]
    fn supervisors_see_the_chats_of_all_agents() {
        for state in [ParticipantState::Bot, ParticipantState::Queued, ParticipantState::Closed] {
            assert!(told(state, None, None).admits(&Viewer::Everything));
        }
    }

    #[test]
    fn an_agent_sees_its_own_chats_and_those_of_its_team() {
        let anns = told(ParticipantState::Active, Some((ANN, Some(SALES))), None);
        assert!(anns.admits(&agent(ANN, None)), "her own, also if her team has changed");
        assert!(anns.admits(&agent(BEN, Some(SALES))));
        assert!(!anns.admits(&agent(BEN, Some(CARE))));
        assert!(!anns.admits(&agent(BEN, None)));
    }

    #[test]
    fn all_agents_see_the_queue_of_every_team() {
        for team in [None, Some(SALES)] {
            let waits = told(ParticipantState::Queued, None, team);
            assert!(waits.admits(&agent(BEN, None)) && waits.admits(&agent(BEN, Some(CARE))));
        }
    }

    #[test]
    fn the_team_of_a_chat_sees_it_with_any_agent() {
        let of_sales = told(ParticipantState::Active, Some((ANN, None)), Some(SALES));
        assert!(of_sales.admits(&agent(BEN, Some(SALES))) && !of_sales.admits(&agent(BEN, Some(CARE))));
    }

    #[test]
    fn agents_do_not_see_chats_of_a_chatbot() {
        assert!(!told(ParticipantState::Bot, None, None).admits(&agent(ANN, Some(SALES))));
    }

    #[test]
    fn the_previous_and_the_present_agent_of_a_chat_are_both_informed() {
        let mut audience = told(ParticipantState::Active, Some((BEN, Some(CARE))), None);
        audience.add(ParticipantState::Active, Some((ANN, Some(SALES))), None);
        assert!(audience.admits(&agent(ANN, Some(SALES))) && audience.admits(&agent(BEN, Some(CARE))));
    }
}
