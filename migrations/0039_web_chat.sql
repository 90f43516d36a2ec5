-- Web chat: what a site decides about its widget, the directory that finds the client of a site key, and what is known of a
-- visitor beside the customer that it is.

ALTER TABLE web_inbox
    -- Chats of the site wait for it unless a chatbot or a router names another.
    ADD COLUMN team_id uuid,
    -- Look, texts and form, as JSON of ours; null = as they are by themselves.
    ADD COLUMN settings jsonb,
    -- Signs the site's own user ids.
    ADD COLUMN identity_secret_sealed bytea,
    -- Its key is known to nobody any more; its chats stay.
    ADD COLUMN deleted_at timestamptz,
    ADD CONSTRAINT web_inbox_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id);
CREATE INDEX web_inbox_by_team ON web_inbox (client_id, team_id) WHERE team_id IS NOT NULL;

CREATE TABLE web_site_directory (
    site_key text NOT NULL CONSTRAINT web_site_directory_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    CONSTRAINT web_site_directory_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES web_inbox (client_id, id) ON DELETE CASCADE
);
CREATE INDEX web_site_directory_by_inbox ON web_site_directory (client_id, inbox_id);
INSERT INTO web_site_directory (site_key, client_id, inbox_id)
SELECT address, client_id, id FROM inbox WHERE kind = 'WEB' AND address IS NOT NULL;

CREATE TABLE web_visitor (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- The value of its address.
    visitor text NOT NULL,
    -- The site's own id of a user, proven by its signature.
    proven_id text,
    -- The form before the chat was answered.
    form_answered boolean NOT NULL DEFAULT false,
    -- An unproven visitor that turned out to be a proven one; its token is good for nothing more.
    joined_to text,
    -- Grows when the messages of its chat are numbered anew.
    epoch integer NOT NULL DEFAULT 0,
    -- Sequence numbers up to which messages have arrived in a widget, and have been seen.
    delivered_up_to bigint NOT NULL DEFAULT 0,
    read_up_to bigint NOT NULL DEFAULT 0,
    -- An agent writes, until then.
    agent_typing_until timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT web_visitor_pk PRIMARY KEY (client_id, inbox_id, visitor),
    CONSTRAINT web_visitor_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES web_inbox (client_id, id) ON DELETE CASCADE
);
