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

-- Telegram (ADR 0051). The tables passed narrower checks, so nothing is read again.
ALTER TABLE inbox
    DROP CONSTRAINT inbox_kind_known,
    ADD CONSTRAINT inbox_kind_known
        CHECK (kind IN ('WHATSAPP_CLOUD', 'WHATSAPP_LITE', 'MESSENGER', 'TELEGRAM', 'WEB', 'SMS')) NOT VALID;
ALTER TABLE participant
    DROP CONSTRAINT participant_channel_known,
    ADD CONSTRAINT participant_channel_known
        CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'TELEGRAM', 'WEB', 'SMS')) NOT VALID;
ALTER TABLE chat_message
    DROP CONSTRAINT chat_message_channel_known,
    ADD CONSTRAINT chat_message_channel_known
        CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'TELEGRAM', 'WEB', 'SMS')) NOT VALID;
ALTER TABLE customer_address
    DROP CONSTRAINT customer_address_kind_known,
    ADD CONSTRAINT customer_address_kind_known
        CHECK (kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')) NOT VALID;
ALTER TABLE outbound_message
    DROP CONSTRAINT outbound_message_address_kind_known,
    ADD CONSTRAINT outbound_message_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')) NOT VALID,
    DROP CONSTRAINT outbound_message_other_kind_known,
    ADD CONSTRAINT outbound_message_other_kind_known
        CHECK (other_kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')) NOT VALID;
ALTER TABLE outbound_leg
    DROP CONSTRAINT outbound_leg_channel_known,
    ADD CONSTRAINT outbound_leg_channel_known
        CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'TELEGRAM', 'WEB', 'SMS')) NOT VALID,
    DROP CONSTRAINT outbound_leg_address_kind_known,
    ADD CONSTRAINT outbound_leg_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'TELEGRAM', 'VISITOR', 'EMAIL', 'LID')) NOT VALID;
