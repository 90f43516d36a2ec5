-- SMS: the parts of messages, the receipts of SMSCs, and SMS from subscribers.

CREATE TABLE sms_part (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- Of the leg.
    ordinal smallint NOT NULL,
    part smallint NOT NULL,
    bind text NOT NULL,
    smsc_id text NOT NULL,
    state text NOT NULL,
    -- The final state in the SMSC's own words.
    receipt text,
    CONSTRAINT sms_part_pk PRIMARY KEY (client_id, message_id, ordinal, part)
);
-- Retention.
CREATE INDEX sms_part_by_age ON sms_part (message_id);

-- Directory: finds the part of an SMSC's receipt.
CREATE TABLE smsc_message (
    bind text NOT NULL,
    smsc_id text NOT NULL,
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    ordinal smallint NOT NULL,
    part smallint NOT NULL,
    CONSTRAINT smsc_message_pk PRIMARY KEY (bind, smsc_id)
);
-- Retention.
CREATE INDEX smsc_message_by_age ON smsc_message (message_id);

-- Receipts that came before the answer to the submit.
CREATE TABLE parked_receipt (
    bind text NOT NULL,
    smsc_id text NOT NULL,
    id uuid NOT NULL,
    state text NOT NULL,
    error text,
    -- As in `sms_part`.
    receipt text,
    received_at timestamptz NOT NULL,
    CONSTRAINT parked_receipt_pk PRIMARY KEY (bind, smsc_id, id)
);
-- Retention.
CREATE INDEX parked_receipt_by_age ON parked_receipt (received_at);

-- SMS that subscribers sent.
CREATE TABLE sms_inbound (
    id uuid CONSTRAINT sms_inbound_pk PRIMARY KEY,
    bind text NOT NULL,
    sender text NOT NULL,
    receiver text NOT NULL,
    body text NOT NULL,
    -- The decision of the SMS router.
    sms_route jsonb,
    received_at timestamptz NOT NULL
);
-- Retention.
CREATE INDEX sms_inbound_by_age ON sms_inbound (received_at);
