-- Inboxes: what a business is reached at, whatever the channel, in the place of WhatsApp numbers alone. Addresses of people
-- are a kind and a value everywhere. A leg names its channel, its inbox and where it goes. Stored JSON of ours says its
-- version. Stop the nodes of the previous release first: they know neither the tables nor the versions.

CREATE TABLE inbox (
    client_id uuid NOT NULL CONSTRAINT inbox_client_fk REFERENCES client (id),
    -- Of a WhatsApp number also the `id` of the nested whatsAppNumber object.
    id uuid NOT NULL,
    kind text NOT NULL CONSTRAINT inbox_kind_known
        CHECK (kind IN ('WHATSAPP_CLOUD', 'WHATSAPP_LITE', 'MESSENGER', 'WEB', 'SMS')),
    channel text NOT NULL CONSTRAINT inbox_channel_of_kind CHECK (channel = CASE kind
        WHEN 'WHATSAPP_CLOUD' THEN 'WHATSAPP' WHEN 'WHATSAPP_LITE' THEN 'WHATSAPP' WHEN 'MESSENGER' THEN 'FACEBOOK'
        ELSE kind END),
    -- Digits of a number, id of a page, key of a site, source of SMS. Null = the operator's default source of SMS.
    address text,
    created_at timestamptz NOT NULL,
    CONSTRAINT inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT inbox_address_unique UNIQUE (client_id, channel, address),
    CONSTRAINT inbox_address_present CHECK (address IS NOT NULL OR kind = 'SMS')
);
CREATE UNIQUE INDEX inbox_operator_source_unique ON inbox (client_id) WHERE address IS NULL;

CREATE TABLE whatsapp_cloud_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Id of the client-number row; the nested whatsAppNumber object carries `id`.
    link_id uuid NOT NULL,
    phone_number_id text NOT NULL,
    waba_id text NOT NULL,
    access_token_sealed bytea NOT NULL,
    -- Null = the operator's app secret signs its callbacks.
    app_secret_sealed bytea,
    -- Messages per second; null = limits.cloud_rate_per_second.
    rate_per_second integer,
    CONSTRAINT whatsapp_cloud_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT whatsapp_cloud_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE whatsapp_lite_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    link_id uuid NOT NULL,
    -- Messages per second; null = the operator's limit.
    rate_per_second integer,
    CONSTRAINT whatsapp_lite_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT whatsapp_lite_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE messenger_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    access_token_sealed bytea NOT NULL,
    -- Null = the operator's app secret signs its callbacks.
    app_secret_sealed bytea,
    CONSTRAINT messenger_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT messenger_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE web_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    -- Origins whose pages may show the widget.
    origins text[] NOT NULL,
    CONSTRAINT web_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT web_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);

CREATE TABLE sms_inbox (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Takes the SMS that name no source: fallbacks of other channels.
    is_default boolean NOT NULL,
    CONSTRAINT sms_inbox_pk PRIMARY KEY (client_id, id),
    CONSTRAINT sms_inbox_fk FOREIGN KEY (client_id, id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX sms_inbox_default_unique ON sms_inbox (client_id) WHERE is_default;

-- Numbers move over with their ids.
INSERT INTO inbox (client_id, id, kind, channel, address, created_at)
SELECT client_id, id, provider, 'WHATSAPP', msisdn, created_at FROM whatsapp_number;
INSERT INTO whatsapp_cloud_inbox
    (client_id, id, link_id, phone_number_id, waba_id, access_token_sealed, app_secret_sealed, rate_per_second)
SELECT client_id, id, link_id, phone_number_id, waba_id, access_token_sealed, app_secret_sealed, rate_per_second
FROM whatsapp_number WHERE provider = 'WHATSAPP_CLOUD';
INSERT INTO whatsapp_lite_inbox (client_id, id, link_id, rate_per_second)
SELECT client_id, id, link_id, rate_per_second FROM whatsapp_number WHERE provider = 'WHATSAPP_LITE';
-- Every client has one source of SMS that is taken when nothing names another.
INSERT INTO inbox (client_id, id, kind, channel, address, created_at)
SELECT id, gen_random_uuid(), 'SMS', 'SMS', NULLIF(sms_source, ''), created_at FROM client;
INSERT INTO sms_inbox (client_id, id, is_default) SELECT client_id, id, true FROM inbox WHERE kind = 'SMS';
ALTER TABLE client DROP COLUMN sms_source;

-- What referred to a number refers to an inbox.
ALTER TABLE phone_number_directory RENAME COLUMN number_id TO inbox_id;
ALTER TABLE phone_number_directory
    DROP CONSTRAINT phone_number_directory_number_fk,
    ADD CONSTRAINT phone_number_directory_inbox_fk
        FOREIGN KEY (client_id, inbox_id) REFERENCES whatsapp_cloud_inbox (client_id, id) ON DELETE CASCADE;
ALTER TABLE participant RENAME COLUMN number_id TO inbox_id;
ALTER TABLE participant
    DROP CONSTRAINT participant_number_fk,
    ADD CONSTRAINT participant_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id);
ALTER TABLE webhook_config RENAME COLUMN number_id TO inbox_id;
ALTER TABLE webhook_config
    DROP CONSTRAINT webhook_config_number_fk,
    ADD CONSTRAINT webhook_config_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id);
ALTER INDEX webhook_config_number_unique RENAME TO webhook_config_inbox_unique;
ALTER TABLE webhook_delivery RENAME COLUMN number_id TO inbox_id;
ALTER TABLE plugin_activation RENAME COLUMN number_id TO inbox_id;
ALTER TABLE plugin_activation_history RENAME COLUMN number_id TO inbox_id;
ALTER TABLE routing_decision RENAME COLUMN number_id TO inbox_id;
ALTER TABLE outbound_part RENAME COLUMN number_id TO inbox_id;
ALTER TABLE outbound_message RENAME COLUMN number_id TO inbox_id;
DROP TABLE whatsapp_number;

-- Addresses of customers, and what is known of a customer on an inbox.
ALTER TABLE customer_identity RENAME TO customer_address;
ALTER TABLE customer_address
    DROP CONSTRAINT customer_identity_kind_known,
    ADD CONSTRAINT customer_address_kind_known CHECK (kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL'));
ALTER TABLE customer_address RENAME CONSTRAINT customer_identity_pk TO customer_address_pk;
ALTER TABLE customer_address RENAME CONSTRAINT customer_identity_customer_fk TO customer_address_customer_fk;
ALTER INDEX customer_identity_by_customer RENAME TO customer_address_by_customer;
ALTER TABLE number_customer RENAME TO inbox_customer;
ALTER TABLE inbox_customer RENAME COLUMN number_id TO inbox_id;
-- Seen alive on the channel of the inbox.
ALTER TABLE inbox_customer RENAME COLUMN seen_on_whatsapp TO reached;
ALTER TABLE inbox_customer RENAME CONSTRAINT number_customer_pk TO inbox_customer_pk;
ALTER TABLE inbox_customer RENAME CONSTRAINT number_customer_customer_fk TO inbox_customer_customer_fk;

-- Where a message goes: the address that is written to, and the one that is kept should that one fail.
ALTER TABLE outbound_message
    ADD COLUMN address_kind text CONSTRAINT outbound_message_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL')),
    ADD COLUMN address_value text,
    ADD COLUMN other_kind text CONSTRAINT outbound_message_other_kind_known
        CHECK (other_kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL')),
    ADD COLUMN other_value text,
    ADD CONSTRAINT outbound_message_other_whole CHECK ((other_kind IS NULL) = (other_value IS NULL));
UPDATE outbound_message SET
    address_kind = CASE WHEN to_phone IS NULL THEN 'BSUID' ELSE 'PHONE' END,
    address_value = COALESCE(to_phone, to_bsuid),
    other_kind = CASE WHEN to_phone IS NOT NULL AND to_bsuid IS NOT NULL THEN 'BSUID' END,
    other_value = CASE WHEN to_phone IS NOT NULL THEN to_bsuid END;
ALTER TABLE outbound_message
    ALTER COLUMN address_kind SET NOT NULL,
    ALTER COLUMN address_value SET NOT NULL,
    DROP COLUMN to_phone,
    DROP COLUMN to_bsuid;

-- A leg goes over a channel from an inbox to an address; its ordinal is only its order. `content`: what it says; null = what
-- its part says.
ALTER TABLE outbound_leg RENAME COLUMN sms TO content;
ALTER TABLE outbound_leg
    DROP CONSTRAINT outbound_leg_channel_known,
    ADD CONSTRAINT outbound_leg_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'WEB', 'SMS')),
    ADD COLUMN inbox_id uuid,
    ADD COLUMN address_kind text CONSTRAINT outbound_leg_address_kind_known
        CHECK (address_kind IN ('PHONE', 'BSUID', 'PSID', 'VISITOR', 'EMAIL')),
    ADD COLUMN address_value text;
-- Partitions of one week go one after the other: a leg whose message is gone is gone.
DELETE FROM outbound_leg leg WHERE NOT EXISTS (
    SELECT 1 FROM outbound_message message WHERE message.client_id = leg.client_id AND message.id = leg.message_id);
UPDATE outbound_leg leg SET
    inbox_id = CASE leg.channel WHEN 'SMS' THEN sms.id ELSE message.inbox_id END,
    address_kind = message.address_kind,
    address_value = message.address_value,
    content = CASE WHEN leg.content IS NOT NULL
        THEN jsonb_build_object('v', 1, 'value', jsonb_build_object('sms', leg.content)) END
FROM outbound_message message JOIN sms_inbox sms ON sms.client_id = message.client_id AND sms.is_default
WHERE message.client_id = leg.client_id AND message.id = leg.message_id;
ALTER TABLE outbound_leg
    ALTER COLUMN inbox_id SET NOT NULL,
    ALTER COLUMN address_kind SET NOT NULL,
    ALTER COLUMN address_value SET NOT NULL;

-- A lane of outbound messages is an inbox, for SMS too.
UPDATE outbound_work work SET lane_id = sms.id
FROM sms_inbox sms WHERE sms.client_id = work.client_id AND sms.is_default AND work.lane_id = work.client_id;
DELETE FROM lane WHERE queue = 'outbound' AND lane_id = client_id;

-- A message may have more than one SMS leg.
ALTER TABLE sms_part ADD COLUMN ordinal smallint NOT NULL DEFAULT 1;
ALTER TABLE sms_part
    ALTER COLUMN ordinal DROP DEFAULT,
    DROP CONSTRAINT sms_part_pk,
    ADD CONSTRAINT sms_part_pk PRIMARY KEY (client_id, message_id, ordinal, part);
ALTER TABLE smsc_message ADD COLUMN ordinal smallint NOT NULL DEFAULT 1;
ALTER TABLE smsc_message ALTER COLUMN ordinal DROP DEFAULT;

-- JSON of ours says its version.
UPDATE outbound_part SET
    content = jsonb_build_object('v', 1, 'value', content),
    fallback = CASE WHEN fallback IS NOT NULL THEN jsonb_build_object('v', 1, 'value', fallback) END;
UPDATE chat_message SET content = jsonb_build_object('v', 1, 'value', content);
UPDATE participant_event SET payload = jsonb_build_object('v', 1, 'value', payload);
UPDATE callback SET item = jsonb_build_object('v', 1, 'value', item);
-- As text, so that the characters of a customer stay as they are.
UPDATE webhook_delivery SET event = ('{"v":1,"value":' || event::text || '}')::json WHERE event IS NOT NULL;

-- What the program takes for granted.
ALTER TABLE chat_message ADD CONSTRAINT chat_message_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'WEB'));
ALTER TABLE participant_event ADD CONSTRAINT participant_event_kind_known
    CHECK (kind IN ('ROUTE', 'STARTED', 'MESSAGE', 'RATING', 'TIMER'));
