-- Episodes of chats, for the figures of supervisors (ADR 0066): from the first message to the end. Chats that were open
-- before this migration have none until they open again.

CREATE TABLE chat_episode (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    channel text NOT NULL,
    opened_at timestamptz NOT NULL,
    -- The first time that it waited for an agent.
    queued_at timestamptz,
    -- The first time that an agent got it.
    assigned_at timestamptz,
    -- The first answer of an agent.
    answered_at timestamptz,
    closed_at timestamptz,
    -- The last team and agent.
    team_id uuid,
    agent_id uuid,
    missed boolean NOT NULL DEFAULT false,
    after_hours boolean NOT NULL DEFAULT false,
    rating text,
    CONSTRAINT chat_episode_pk PRIMARY KEY (client_id, id)
);
-- The episode that is written to.
CREATE UNIQUE INDEX chat_episode_open_unique ON chat_episode (client_id, participant_id) WHERE closed_at IS NULL;
-- The last episode of a chat, for a rating.
CREATE INDEX chat_episode_by_participant ON chat_episode (client_id, participant_id, id DESC);
-- The figures of a period.
CREATE INDEX chat_episode_by_time ON chat_episode (client_id, opened_at);
-- Retention.
CREATE INDEX chat_episode_by_age ON chat_episode (id);
