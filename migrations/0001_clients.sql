-- Clients (tenants), their teams and users, the rights of users, and the log of requests.

CREATE TABLE client (
    id uuid CONSTRAINT client_pk PRIMARY KEY,
    client_ref text NOT NULL CONSTRAINT client_ref_unique UNIQUE,
    display_name text NOT NULL,
    parent_id uuid CONSTRAINT client_parent_fk REFERENCES client (id),
    -- IANA name.
    time_zone text NOT NULL DEFAULT 'UTC',
    -- False: the `fallback` of a send request is ignored.
    sms_fallback_enabled boolean NOT NULL DEFAULT true,
    -- When error 131026 counts as "not on WhatsApp" (PROVIDERS A.12).
    fallback_mode text NOT NULL DEFAULT 'STRICT'
        CONSTRAINT client_fallback_mode_known CHECK (fallback_mode IN ('STRICT', 'ANY_131026')),
    sms_username text,
    -- Never shown.
    sms_password_sealed bytea,
    -- Phone numbers and names of customers are masked for roles that do not need them.
    popia_compliant boolean NOT NULL DEFAULT false,
    -- Customers are asked for a rating when an agent ends their chat.
    asks_rating boolean NOT NULL DEFAULT false,
    -- Webhook targets may be private addresses: for the demo client under the simulator.
    allow_private_targets boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL
);
-- The subclients of a client.
CREATE INDEX client_by_parent ON client (parent_id, client_ref);

-- Teams of agents.
CREATE TABLE team (
    client_id uuid NOT NULL CONSTRAINT team_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    name text NOT NULL,
    -- How waiting chats of the team are given to its members.
    assignment text NOT NULL DEFAULT 'OFF'
        CONSTRAINT team_assignment_known CHECK (assignment IN ('OFF', 'ROUND_ROBIN', 'LEAST_BUSY')),
    -- IANA name; null: the time zone of the client.
    time_zone text,
    -- Weekly hours and holidays; null: always open.
    business_hours jsonb,
    -- Sent once to a customer who starts to wait outside the hours; null: nothing is sent.
    after_hours_text text,
    created_at timestamptz NOT NULL,
    CONSTRAINT team_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX team_name_unique ON team (client_id, lower(name));

-- A deleted user keeps its row, because messages and chats name it. It has no key and cannot log in.
CREATE TABLE client_user (
    client_id uuid NOT NULL CONSTRAINT client_user_client_fk REFERENCES client (id),
    id uuid NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    role text NOT NULL
        CONSTRAINT client_user_role_known CHECK (role IN ('ADMIN', 'SUPERVISOR', 'AGENT', 'DEVELOPER', 'API')),
    password_hash text NOT NULL,
    -- Made by Patchbay and shown once. Its only use is to choose another password.
    password_is_temporary boolean NOT NULL DEFAULT false,
    team_id uuid,
    -- Takes chats that a team gives out.
    available boolean NOT NULL DEFAULT false,
    -- Most chats at a time; null: `limits.agent_chats`.
    chat_limit integer CONSTRAINT client_user_chat_limit_positive CHECK (chat_limit > 0),
    -- ROUND_ROBIN chooses the member with the oldest time.
    last_given_at timestamptz,
    created_at timestamptz NOT NULL,
    deleted_at timestamptz,
    CONSTRAINT client_user_pk PRIMARY KEY (client_id, id),
    CONSTRAINT client_user_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id)
);
-- The e-mail of a deleted user is free again.
CREATE UNIQUE INDEX client_user_email_unique ON client_user (client_id, lower(email)) WHERE deleted_at IS NULL;
-- The list of users, by name.
CREATE INDEX client_user_by_name ON client_user (client_id, lower(name), id) WHERE deleted_at IS NULL;
-- The members of a team.
CREATE INDEX client_user_by_team ON client_user (client_id, team_id, id);

-- Folds a text as `domain::search::fold` does: without accents and invisible characters, composed, lower case in every
-- script, one space between words. For the lists of teams and users, which are short; long lists store the folded text.
-- If PostgreSQL has no ICU or another encoding, the text is only put in lower case.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_collation WHERE collname = 'und-x-icu') AND getdatabaseencoding() = 'UTF8' THEN
        CREATE FUNCTION folded(line text) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $folded$
            SELECT btrim(regexp_replace(normalize(
                replace(replace(replace(translate(
                    lower(upper(regexp_replace(
                        normalize(line, NFKD),
                        '[\u0300-\u036F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670'
                        '\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F'
                        '\u00AD\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u202A-\u202E\u2060-\u206F\u3164'
                        '\uFE00-\uFE0F\uFEFF\uFFA0\uFFF0-\uFFFB\U0001BCA0-\U0001BCA3\U0001D173-\U0001D17A'
                        '\U000E0000-\U000E0FFF]', '', 'g') COLLATE "und-x-icu") COLLATE "und-x-icu"),
                    'ςøłđðħŧı', 'σolddhti'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'),
                NFKC), '\s+', ' ', 'g'))
        $folded$;
    ELSE
        CREATE FUNCTION folded(line text) RETURNS text IMMUTABLE STRICT PARALLEL SAFE LANGUAGE sql AS $folded$
            SELECT btrim(regexp_replace(lower(line), '\s+', ' ', 'g'))
        $folded$;
    END IF;
END
$$;

-- Directory: finds the client of a key. A user has one key; a new key replaces it.
CREATE TABLE api_key (
    key_hash bytea CONSTRAINT api_key_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    user_id uuid NOT NULL,
    -- The key itself, because `retrieveApiKey` returns it.
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL,
    CONSTRAINT api_key_user_unique UNIQUE (client_id, user_id),
    CONSTRAINT api_key_user_fk FOREIGN KEY (client_id, user_id) REFERENCES client_user (client_id, id) ON DELETE CASCADE
);

-- Open connections (live events, web chat) end when the right ends that they were opened with. Triggers send the
-- notices, so no statement changes a right without one. A notice is "KIND CLIENT ID". NOTIFY serialises commits, but
-- only administration changes these columns. Arguments: the kind, and the columns of the client and of the id.
CREATE FUNCTION notify_right() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was jsonb := to_jsonb(OLD);
BEGIN
    PERFORM pg_notify('patchbay_right', concat_ws(' ', TG_ARGV[0], was ->> TG_ARGV[1], was ->> TG_ARGV[2]));
    RETURN NULL;
END $$;

CREATE TRIGGER api_key_changed AFTER UPDATE OF key_hash ON api_key FOR EACH ROW
    WHEN (OLD.key_hash IS DISTINCT FROM NEW.key_hash)
    EXECUTE FUNCTION notify_right('user', 'client_id', 'user_id');
CREATE TRIGGER api_key_removed AFTER DELETE ON api_key FOR EACH ROW
    EXECUTE FUNCTION notify_right('user', 'client_id', 'user_id');

CREATE TRIGGER client_user_changed AFTER UPDATE OF role, team_id, deleted_at ON client_user FOR EACH ROW
    WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.team_id IS DISTINCT FROM NEW.team_id
          OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION notify_right('user', 'client_id', 'id');
CREATE TRIGGER client_user_removed AFTER DELETE ON client_user FOR EACH ROW
    EXECUTE FUNCTION notify_right('user', 'client_id', 'id');

CREATE TRIGGER client_masking_changed AFTER UPDATE OF popia_compliant ON client FOR EACH ROW
    WHEN (OLD.popia_compliant IS DISTINCT FROM NEW.popia_compliant)
    EXECUTE FUNCTION notify_right('client', 'id', 'id');

-- Wrong passwords, by the account that the request names. The account may not exist.
CREATE TABLE login_failure (
    account_hash bytea NOT NULL,
    id uuid NOT NULL,
    failed_at timestamptz NOT NULL,
    CONSTRAINT login_failure_pk PRIMARY KEY (account_hash, id)
);
-- Retention.
CREATE INDEX login_failure_by_age ON login_failure (failed_at);

-- Places from which an account was logged in to. Their wrong passwords are counted separately, so that strangers cannot
-- lock the user out.
CREATE TABLE login_place (
    -- As in `login_failure`.
    account_hash bytea NOT NULL,
    -- SHA-256 of the address, or of its /64 network for IPv6.
    place_hash bytea NOT NULL,
    -- The last login from there, to the day.
    seen_at timestamptz NOT NULL,
    CONSTRAINT login_place_pk PRIMARY KEY (account_hash, place_hash)
);
-- Retention.
CREATE INDEX login_place_by_age ON login_place (seen_at);

-- Changes by administrators.
CREATE TABLE audit (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    happened_at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id text NOT NULL,
    CONSTRAINT audit_pk PRIMARY KEY (client_id, id)
);

-- The API requests of a client and their results, for its developers.
CREATE TABLE request_log (
    client_id uuid NOT NULL,
    -- The X-Request-Id. It contains the time of the request.
    id uuid NOT NULL,
    -- The owner of the key.
    user_id uuid NOT NULL,
    -- The first characters of the key; they distinguish it from a replaced key.
    key_start text NOT NULL,
    method text NOT NULL,
    -- Without the query. Segments that may name a person are masked. Compared byte by byte, so that a prefix is a
    -- range.
    path text COLLATE "C" NOT NULL,
    status smallint NOT NULL,
    duration_micros bigint NOT NULL,
    -- Only of a failed request, masked.
    body text,
    CONSTRAINT request_log_pk PRIMARY KEY (client_id, id)
) PARTITION BY RANGE (id);
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;
-- The list of failed requests.
CREATE INDEX request_log_failed ON request_log (client_id, id) WHERE status >= 400;
-- The list of requests by the start of their path.
CREATE INDEX request_log_by_path ON request_log (client_id, path, id);
-- Retention.
CREATE INDEX request_log_default_by_age ON request_log_default (id);
