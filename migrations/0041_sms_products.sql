-- What the SMS products keep beside the messages that the engine sends for them (ADR 0031).

ALTER TABLE outbound_part DROP CONSTRAINT outbound_part_type_known;
ALTER TABLE outbound_part ADD CONSTRAINT outbound_part_type_known
    CHECK (message_type IN ('NOTIFICATION', 'CHAT', 'CONVERSATION', 'REPLY', 'SMS', 'PRODUCT'));

-- One request to a gateway; its id is the `gstid` of the JSON gateway.
CREATE TABLE sms_request (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    product text NOT NULL CONSTRAINT sms_request_product_known CHECK (product IN ('JSON', 'BATCH')),
    receipt_url text,
    reply_url text,
    -- Replies are posted, not asked for with GET.
    posts_replies boolean NOT NULL DEFAULT false,
    -- `dsm`: the texts are forgotten when the messages are through.
    forgets boolean NOT NULL DEFAULT false,
    -- Of the batch gateway.
    batch_ref text,
    batch_id text,
    wants_receipts boolean NOT NULL DEFAULT false,
    wants_replies boolean NOT NULL DEFAULT false,
    -- The answer that was given, for those who ask again.
    response text,
    CONSTRAINT sms_request_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX sms_request_batch_unique ON sms_request (client_id, batch_ref, batch_id) WHERE product = 'BATCH';
CREATE INDEX sms_request_by_age ON sms_request (id);

-- One message of a request. Where it stands follows the leg that the engine sends.
CREATE TABLE sms_message (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    request_id uuid NOT NULL,
    part_id uuid NOT NULL,
    recipient text NOT NULL,
    source text NOT NULL,
    ct_id text,
    identifier text,
    -- Credits that were charged.
    units bigint NOT NULL,
    state text NOT NULL DEFAULT 'QUEUED',
    -- What the SMSC said in the end.
    receipt text CONSTRAINT sms_message_receipt_known
        CHECK (receipt IN ('DELIVRD', 'UNDELIV', 'EXPIRED', 'REJECTD', 'UNKNOWN')),
    moved_at timestamptz NOT NULL,
    CONSTRAINT sms_message_pk PRIMARY KEY (client_id, id)
) WITH (fillfactor = 80);
CREATE INDEX sms_message_by_request ON sms_message (client_id, request_id, id);
CREATE INDEX sms_message_by_ct_id ON sms_message (client_id, ct_id, id) WHERE ct_id IS NOT NULL;
CREATE INDEX sms_message_by_recipient ON sms_message (client_id, recipient, id);
CREATE INDEX sms_message_by_age ON sms_message (id);

-- What was sent under a tracking id, so that the same is not sent again: a keyed digest of id, recipient and text.
CREATE TABLE sms_sent_once (
    client_id uuid NOT NULL,
    digest bytea NOT NULL,
    request_id uuid NOT NULL,
    CONSTRAINT sms_sent_once_pk PRIMARY KEY (client_id, digest)
);
CREATE INDEX sms_sent_once_by_age ON sms_sent_once (request_id);

-- How often was asked after what, for the limit of tracking queries (SPEC 8).
CREATE TABLE sms_tracking_use (
    client_id uuid NOT NULL,
    tracked text NOT NULL,
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    times integer NOT NULL,
    CONSTRAINT sms_tracking_use_pk PRIMARY KEY (client_id, tracked)
);
CREATE INDEX sms_tracking_use_by_age ON sms_tracking_use (last_at);

-- What the SMSC said of a part in the end, in its own words.
ALTER TABLE sms_part ADD COLUMN receipt text;
ALTER TABLE parked_receipt ADD COLUMN receipt text;
