-- The desk of agents (ADR 0066): internal notes of chats, viewers of chats, canned replies, and notes and tags of contacts,
-- and episodes for figures.

-- Internal notes of a chat. No customer and no plugin sees them.
CREATE TABLE chat_note (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    author_id uuid NOT NULL,
    body text NOT NULL,
    mentions uuid[] NOT NULL DEFAULT '{}',
    -- Only this agent, the author, and roles above agents see it. Null: all.
    whisper_to uuid,
    created_at timestamptz NOT NULL,
    CONSTRAINT chat_note_pk PRIMARY KEY (client_id, id),
    CONSTRAINT chat_note_participant_fk
        FOREIGN KEY (client_id, participant_id) REFERENCES participant (client_id, id) ON DELETE CASCADE
);
-- The notes of a chat, newest first.
CREATE INDEX chat_note_by_participant ON chat_note (client_id, participant_id, id DESC);

-- The users that notes mention: finds the notes for a user.
CREATE TABLE chat_note_mention (
    client_id uuid NOT NULL,
    user_id uuid NOT NULL,
    note_id uuid NOT NULL,
    CONSTRAINT chat_note_mention_pk PRIMARY KEY (client_id, user_id, note_id),
    CONSTRAINT chat_note_mention_note_fk
        FOREIGN KEY (client_id, note_id) REFERENCES chat_note (client_id, id) ON DELETE CASCADE
);
-- The mentions of a note that is deleted.
CREATE INDEX chat_note_mention_by_note ON chat_note_mention (client_id, note_id);

-- The users who look at a chat, until they go or stop telling that they look.
CREATE TABLE chat_viewer (
    client_id uuid NOT NULL,
    participant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    seen_until timestamptz NOT NULL,
    -- Null: does not write.
    writing_until timestamptz,
    CONSTRAINT chat_viewer_pk PRIMARY KEY (client_id, participant_id, user_id),
    CONSTRAINT chat_viewer_participant_fk
        FOREIGN KEY (client_id, participant_id) REFERENCES participant (client_id, id) ON DELETE CASCADE
);
-- Retention.
CREATE INDEX chat_viewer_by_end ON chat_viewer (seen_until);

-- Texts that agents send often.
CREATE TABLE canned_reply (
    client_id uuid NOT NULL CONSTRAINT canned_reply_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    -- Null: for all teams.
    team_id uuid,
    shortcut text NOT NULL,
    -- With variables (`domain::canned_reply`).
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CONSTRAINT canned_reply_pk PRIMARY KEY (client_id, id),
    CONSTRAINT canned_reply_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX canned_reply_shortcut_unique
    ON canned_reply (client_id, COALESCE(team_id, '00000000-0000-0000-0000-000000000000'), shortcut);
-- The list, and the replies of a team that is deleted.
CREATE INDEX canned_reply_by_shortcut ON canned_reply (client_id, shortcut, id);
CREATE INDEX canned_reply_by_team ON canned_reply (client_id, team_id) WHERE team_id IS NOT NULL;

-- Notes about a customer, shown with the contact.
CREATE TABLE customer_note (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    customer_id uuid NOT NULL,
    author_id uuid NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT customer_note_pk PRIMARY KEY (client_id, id),
    CONSTRAINT customer_note_customer_fk
        FOREIGN KEY (client_id, customer_id) REFERENCES customer (client_id, id) ON DELETE CASCADE
);
-- The notes about a customer, newest first.
CREATE INDEX customer_note_by_customer ON customer_note (client_id, customer_id, id DESC);

ALTER TABLE contact ADD COLUMN tags text[] NOT NULL DEFAULT '{}';

-- Episodes of chats, from the first message to the end, for figures. Chats that were open before this migration have none
-- until they open again.
CREATE TABLE chat_episode (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    participant_id uuid NOT NULL,
    channel text NOT NULL,
    opened_at timestamptz NOT NULL,
    -- The first time that it waited for an agent.
    queued_at timestamptz,
    -- Since when it waits for the first answer: it begins again after a chatbot had the chat. Null while one has it.
    waits_since timestamptz,
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
