-- Teams of agents, and what the work of an agent needs to know of a user. Names of teams that users carry become rows.

CREATE TABLE team (
    client_id uuid NOT NULL CONSTRAINT team_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    name text NOT NULL,
    -- Who is given a chat that waits for the team.
    assignment text NOT NULL DEFAULT 'OFF'
        CONSTRAINT team_assignment_known CHECK (assignment IN ('OFF', 'ROUND_ROBIN', 'LEAST_BUSY')),
    -- IANA name; null = the client's.
    time_zone text,
    -- Weekly hours and holidays; null = always open.
    business_hours jsonb,
    created_at timestamptz NOT NULL,
    CONSTRAINT team_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX team_name_unique ON team (client_id, lower(name));

ALTER TABLE client_user
    ADD COLUMN team_id uuid,
    -- Takes chats that are given out by themselves.
    ADD COLUMN available boolean NOT NULL DEFAULT false,
    -- Chats at a time; null = limits.agent_chats.
    ADD COLUMN chat_limit integer CONSTRAINT client_user_chat_limit_positive CHECK (chat_limit > 0),
    -- Made by us and shown once: good for nothing but choosing another.
    ADD COLUMN password_is_temporary boolean NOT NULL DEFAULT false,
    -- The round of ROUND_ROBIN goes on with who was given nothing for longest.
    ADD COLUMN last_given_at timestamptz,
    -- Users stay for the sake of what they wrote and worked on; a deleted one has no key and cannot log in.
    ADD COLUMN deleted_at timestamptz,
    ADD CONSTRAINT client_user_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id);
INSERT INTO team (client_id, id, name, created_at)
SELECT client_id, gen_random_uuid(), min(btrim(team)), min(created_at) FROM client_user WHERE btrim(team) <> ''
GROUP BY client_id, lower(btrim(team));
UPDATE client_user member SET team_id = team.id FROM team
WHERE team.client_id = member.client_id AND lower(team.name) = lower(btrim(member.team));
CREATE INDEX client_user_by_team ON client_user (client_id, team_id, id);

-- An e-mail is free again when its user was deleted.
DROP INDEX client_user_email_unique;
CREATE UNIQUE INDEX client_user_email_unique ON client_user (client_id, lower(email)) WHERE deleted_at IS NULL;
