-- What happens to chats by the clock and by itself (ADR 0027): nobody answers in time; a chat that waits for a team is given to
-- somebody of it; an agent leaves. A queue of its own, whose lanes are chats.

CREATE TABLE chat_due (
    client_id uuid NOT NULL,
    lane_id uuid NOT NULL, -- the participant
    -- ANSWER: no agent has answered until then. ARRIVED: the chat came to the queue. LEFT: its agent is gone.
    kind text NOT NULL CONSTRAINT chat_due_kind_known CHECK (kind IN ('ANSWER', 'ARRIVED', 'LEFT')),
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    CONSTRAINT chat_due_pk PRIMARY KEY (client_id, lane_id, kind)
);
CREATE INDEX chat_due_ready ON chat_due (client_id, lane_id) WHERE ready;
CREATE INDEX chat_due_waiting ON chat_due (due_at) WHERE NOT ready;

-- Who had the chat when nobody answered in time.
ALTER TABLE participant ADD COLUMN missed_agent_id uuid;

-- What is looked at every second: teams whose chats are given out by themselves, and agents who left lately.
CREATE INDEX team_gives ON team (client_id, id) WHERE assignment <> 'OFF';
CREATE INDEX client_user_gone ON client_user (deleted_at) WHERE deleted_at IS NOT NULL;
