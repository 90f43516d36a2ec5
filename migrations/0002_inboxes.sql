-- Inboxes: the addresses of a client on all channels. `inbox` holds the common columns; a table per kind holds the rest
-- under the same id. Directories find the client of a provider callback.

CREATE TABLE inbox (
    client_id uuid NOT NULL CONSTRAINT inbox_client_fk REFERENCES client (id),
    -- For a WhatsApp number also the `id` of the nested whatsAppNumber object.
    id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT inbox_kind_known
        CHECK (kind IN ('WHATSAPP_CLOUD', 'WHATSAPP_LITE', 'MESSENGER', 'TELEGRAM', 'WEB', 'SMS')),
    channel text NOT NULL CONSTRAINT inbox_channel_of_kind CHECK (channel = CASE kind
        WHEN 'WHATSAPP_CLOUD' THEN 'WHATSAPP' WHEN 'WHATSAPP_LITE' THEN 'WHATSAPP' WHEN 'MESSENGER' THEN 'FACEBOOK'
        ELSE kind END),
    -- Digits of a number, id of a page, key of a site, source of SMS. Null: the operator's default source of SMS.
    address text,
    created_at timestamptz NOT NULL,
    CONSTRAINT inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT inbox_address_unique UNIQUE (client_id, channel, address),
    CONSTRAINT inbox_address_present CHECK (address IS NOT NULL OR kind = 'SMS')
);
CREATE UNIQUE INDEX inbox_operator_source_unique ON inbox (client_id) WHERE address IS NULL;
-- All clients that have a source of SMS: replies to it belong to them.
CREATE INDEX inbox_sms_source ON inbox (address) WHERE channel = 'SMS';

CREATE TABLE whatsapp_cloud_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Id of the link between client and number in the API; the nested whatsAppNumber object has `id`.
    link_id uuid NOT NULL,
    phone_number_id text NOT NULL,
    waba_id text NOT NULL,
    access_token_sealed bytea NOT NULL,
    -- Null: the operator's app secret signs its callbacks.
    app_secret_sealed bytea,
    -- Messages per second; null: `limits.cloud_rate_per_second`.
    rate_per_second integer,
    CONSTRAINT whatsapp_cloud_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT whatsapp_cloud_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE whatsapp_lite_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- As in `whatsapp_cloud_inbox`.
    link_id uuid NOT NULL,
    -- The operator of its device, and the unit that is charged for.
    hosting_type text NOT NULL DEFAULT 'WHATSAPP_GO'
        CONSTRAINT whatsapp_lite_inbox_hosting_known CHECK (hosting_type IN ('WHATSAPP_GO')),
    billing_model text NOT NULL DEFAULT 'message'
        CONSTRAINT whatsapp_lite_inbox_billing_known CHECK (billing_model IN ('message')),
    -- Messages per second; null: the operator's limit.
    rate_per_second integer,
    -- SPEC 8 "Lite throughput": after this many messages the number pauses.
    batch_size integer NOT NULL DEFAULT 10
        CONSTRAINT whatsapp_lite_inbox_batch_size CHECK (batch_size BETWEEN 1 AND 1000),
    -- Milliseconds.
    delay_ms integer NOT NULL DEFAULT 1000
        CONSTRAINT whatsapp_lite_inbox_delay CHECK (delay_ms BETWEEN 0 AND 3600000),
    -- Hours of sending, in the time zone of the client; both null: all day.
    daily_start time,
    daily_end time,
    CONSTRAINT whatsapp_lite_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT whatsapp_lite_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE,
    CONSTRAINT whatsapp_lite_inbox_day CHECK ((daily_start IS NULL) = (daily_end IS NULL))
);

CREATE TABLE messenger_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    access_token_sealed bytea NOT NULL,
    -- Null: the operator's app secret signs its callbacks.
    app_secret_sealed bytea,
    CONSTRAINT messenger_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT messenger_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE web_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    -- Pages of these origins may show the widget.
    origins text[] NOT NULL,
    -- Chats of the site wait for this team if no chatbot or router names another.
    team_id uuid,
    -- Look, texts and form of the widget; null: the defaults.
    settings jsonb,
    -- Signs the site's own user ids.
    identity_secret_sealed bytea,
    -- The site key is invalid since then; the chats stay.
    deleted_at timestamptz,
    CONSTRAINT web_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT web_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE,
    CONSTRAINT web_inbox_team_fk FOREIGN KEY (client_id, team_id) REFERENCES team (client_id, id)
);
-- The sites of a team that is to be deleted.
CREATE INDEX web_inbox_by_team ON web_inbox (client_id, team_id) WHERE team_id IS NOT NULL;
CREATE TRIGGER web_inbox_changed AFTER UPDATE OF origins, deleted_at ON web_inbox FOR EACH ROW
    WHEN (OLD.origins IS DISTINCT FROM NEW.origins OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION notify_right('site', 'client_id', 'id');

CREATE TABLE sms_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Sends the SMS that name no source, for example fallbacks.
    is_default boolean NOT NULL,
    -- The operator took the source from the client: no new message may choose it, accepted messages still leave over
    -- it. The row stays, because messages and chats name it. If the source is added again, this becomes null.
    removed_at timestamptz,
    CONSTRAINT sms_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT sms_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sms_inbox_default_unique ON sms_inbox (client_id) WHERE is_default;

-- Directory: finds the inbox of a callback about a Cloud number.
CREATE TABLE phone_number_directory (
    phone_number_id text CONSTRAINT phone_number_directory_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    CONSTRAINT phone_number_directory_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_cloud_inbox (client_id, id) ON DELETE CASCADE
);

-- Directory: finds the clients of a callback about a WhatsApp Business account.
CREATE TABLE waba_directory (
    waba_id text NOT NULL,
    client_id uuid NOT NULL,
    -- Time of the next fetch of the template catalogue.
    refresh_due_at timestamptz NOT NULL,
    CONSTRAINT waba_directory_pk PRIMARY KEY (waba_id, client_id)
);
-- The accounts of a client.
CREATE INDEX waba_directory_by_client ON waba_directory (client_id);
-- The accounts with a due catalogue.
CREATE INDEX waba_directory_by_due ON waba_directory (refresh_due_at);

-- Directory: finds the inbox of a callback about a Facebook page (ADR 0028).
CREATE TABLE page_directory (
    page_id text CONSTRAINT page_directory_pk PRIMARY KEY,
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    CONSTRAINT page_directory_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES messenger_inbox (client_id, id) ON DELETE CASCADE
);

-- The template catalogue of the provider, cached.
CREATE TABLE template (
    client_id uuid NOT NULL CONSTRAINT template_client_fk REFERENCES client (id),
    waba_id text NOT NULL,
    id text NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    status text NOT NULL,
    category text NOT NULL,
    parameter_format text NOT NULL,
    -- As the provider returns them.
    components jsonb NOT NULL,
    synced_at timestamptz NOT NULL,
    CONSTRAINT template_pk PRIMARY KEY (client_id, waba_id, id)
);
-- The template that a message names.
CREATE INDEX template_by_name ON template (client_id, name, language);

-- The provider's facts about each Cloud number at the last look, in its own words, and the time of the next look.
CREATE TABLE number_quality (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- Null: the provider has not named it.
    quality_rating text,
    messaging_limit text,
    channel_status text,
    look_due_at timestamptz NOT NULL,
    -- The number of changes that the provider reported, and how many of them the client has been told of. While they
    -- differ, the next look is reported in any case; otherwise only changes are.
    asked integer NOT NULL DEFAULT 0,
    told integer NOT NULL DEFAULT 0,
    -- Failed looks since the last reported change.
    failures smallint NOT NULL DEFAULT 0,
    -- A look has succeeded, so the next one can be compared with it.
    known boolean NOT NULL DEFAULT false,
    CONSTRAINT number_quality_pk PRIMARY KEY (client_id, inbox_id),
    CONSTRAINT number_quality_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_cloud_inbox (client_id, id) ON DELETE CASCADE
);
-- The numbers that are due for a look.
CREATE INDEX number_quality_due ON number_quality (look_due_at);

-- Sessions of WhatsApp Lite numbers (SPEC 3.3, 6.3; ADR 0024). A queue: the lane is the number, and its holder drives
-- the device. A row is PENDING while the session must be held, or while a request of the client is not done.
CREATE TABLE lite_session (
    client_id uuid NOT NULL,
    -- The inbox.
    lane_id uuid NOT NULL,
    wanted text NOT NULL DEFAULT 'DISCONNECTED'
        CONSTRAINT lite_session_wanted_known CHECK (wanted IN ('CONNECTED', 'DISCONNECTED', 'LOGGED_OUT')),
    state text NOT NULL DEFAULT 'DONE' CONSTRAINT lite_session_state_known CHECK (state IN ('PENDING', 'DONE')),
    due_at timestamptz NOT NULL DEFAULT now(),
    ready boolean NOT NULL DEFAULT true,
    -- Null: it was never connected.
    status_type text
        CONSTRAINT lite_session_status_known CHECK (status_type IN ('connecting', 'success', 'disconnected')),
    -- The text of SPEC 6.3.
    status text NOT NULL DEFAULT 'No Session',
    -- Time of the last change of the status.
    changed_at timestamptz,
    -- The next connection needs no QR code.
    paired boolean NOT NULL DEFAULT false,
    -- The QR code to scan, and the end of its validity.
    qr text,
    qr_until timestamptz,
    -- WhatsApp refuses connections of the number until then.
    banned_until timestamptz,
    -- The outbound lane of the number waits until then, because it is disconnected or its day has not begun.
    sends_from timestamptz,
    -- The process that holds the device. Null: no process holds it, or each process reaches it.
    device_node uuid,
    CONSTRAINT lite_session_pk PRIMARY KEY (client_id, lane_id),
    CONSTRAINT lite_session_fk
        FOREIGN KEY (client_id, lane_id) REFERENCES whatsapp_lite_inbox (client_id, id) ON DELETE CASCADE
);
CREATE INDEX lite_session_ready ON lite_session (client_id, lane_id) WHERE state = 'PENDING' AND ready;
CREATE INDEX lite_session_waiting ON lite_session (due_at) WHERE state = 'PENDING' AND NOT ready;

-- The memory of Lite devices that run in our own processes (ADR 0037): the keys of their pairing and of their contacts.
CREATE TABLE lite_device_value (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- The kind of value.
    space text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    -- Sealed.
    value bytea NOT NULL,
    -- Seconds since 1970, for kinds that are removed by age: the time of writing, or of expiry.
    moment bigint,
    CONSTRAINT lite_device_value_pk PRIMARY KEY (client_id, inbox_id, space, key),
    CONSTRAINT lite_device_value_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_lite_inbox (client_id, id) ON DELETE CASCADE
);
-- Removal by age.
CREATE INDEX lite_device_value_moment ON lite_device_value (client_id, inbox_id, space, moment) WHERE moment IS NOT NULL;

-- Inboxes that are an account at a provider, such as a bot: the account has an id and a token, its callbacks carry a secret of
-- ours, and a provider without callbacks is asked for news by one process.

CREATE TABLE account_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- The public name of the account at its provider.
    name text NOT NULL,
    access_token_sealed bytea NOT NULL,
    -- The secret that the provider repeats with each callback.
    app_secret_sealed bytea NOT NULL,
    CONSTRAINT account_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT account_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

-- The owner of an account. An account belongs to one client only, because its callbacks could not be told apart.
CREATE TABLE account_directory (
    kind text NOT NULL,
    account_id text NOT NULL,
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    CONSTRAINT account_directory_pk PRIMARY KEY (kind, account_id),
    CONSTRAINT account_directory_inbox_unique UNIQUE (inbox_id),
    CONSTRAINT account_directory_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES account_inbox (client_id, id) ON DELETE CASCADE
);

-- The queue of accounts that are asked for news. A lane is an account; the process that holds it asks.
CREATE TABLE account_link (
    client_id uuid NOT NULL,
    lane_id uuid NOT NULL,
    -- PENDING: the account is asked for news. DONE: its provider sends callbacks.
    state text NOT NULL CONSTRAINT account_link_state_known CHECK (state IN ('PENDING', 'DONE')),
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL,
    -- The first news that is not stored, by the numbers of the provider.
    next_news bigint NOT NULL DEFAULT 0,
    CONSTRAINT account_link_pk PRIMARY KEY (client_id, lane_id),
    CONSTRAINT account_link_fk FOREIGN KEY (client_id, lane_id) REFERENCES account_inbox (client_id, id) ON DELETE CASCADE
);
CREATE INDEX account_link_ready ON account_link (client_id, lane_id) WHERE state = 'PENDING' AND ready;
CREATE INDEX account_link_waiting ON account_link (due_at) WHERE state = 'PENDING' AND NOT ready;
