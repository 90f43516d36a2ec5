-- Web chat: the keys of sites, and their visitors. `web_inbox` is the site itself.

-- Directory: finds the inbox of a site key.
CREATE TABLE web_site_directory (
    site_key text CONSTRAINT web_site_directory_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    CONSTRAINT web_site_directory_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES web_inbox (client_id, id) ON DELETE CASCADE
);
-- The keys of a site.
CREATE INDEX web_site_directory_by_inbox ON web_site_directory (client_id, inbox_id);
CREATE TRIGGER web_site_key_removed AFTER DELETE ON web_site_directory FOR EACH ROW
    EXECUTE FUNCTION notify_right('site', 'client_id', 'inbox_id');

-- The facts about a visitor that its customer does not have.
CREATE TABLE web_visitor (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- The value of its address.
    visitor text NOT NULL,
    -- The site's own id of the user, proven by the site's signature.
    proven_id text,
    -- An unproven visitor that turned out to be this proven one. Its token is invalid since then.
    joined_to text,
    -- The form before the chat was answered, and the key of the message with the answers. Repeated answers with this
    -- key are that message.
    form_answered boolean NOT NULL DEFAULT false,
    form_key text,
    -- Grows when the messages of its chat get new numbers.
    epoch integer NOT NULL DEFAULT 0,
    -- Sequence numbers up to which messages have arrived in a widget, and have been seen.
    delivered_up_to bigint NOT NULL DEFAULT 0,
    read_up_to bigint NOT NULL DEFAULT 0,
    -- An agent types until then.
    agent_typing_until timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT web_visitor_pk PRIMARY KEY (client_id, inbox_id, visitor),
    CONSTRAINT web_visitor_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES web_inbox (client_id, id) ON DELETE CASCADE
);
