-- SMS legs: the decision to fall back (once per message), the parts of an SMS and their receipts.

CREATE TABLE fallback (
    client_id uuid NOT NULL,
    -- At most one fallback per message, whatever order things happen in.
    message_id uuid NOT NULL,
    lane_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'PENDING' CONSTRAINT fallback_state_known CHECK (state IN ('PENDING', 'SENT', 'SKIPPED')),
    error_code text NOT NULL,
    error_text text NOT NULL,
    failed_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    -- Which plugin decided, and what.
    plugin text,
    reason text,
    CONSTRAINT fallback_pk PRIMARY KEY (client_id, message_id)
);
CREATE INDEX fallback_by_lane ON fallback (client_id, lane_id, due_at) WHERE state = 'PENDING';

CREATE TABLE sms_part (
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    part smallint NOT NULL,
    bind text NOT NULL,
    smsc_id text NOT NULL,
    state text NOT NULL,
    CONSTRAINT sms_part_pk PRIMARY KEY (client_id, message_id, part)
);

-- Directory: finds the client of an SMSC's receipt.
CREATE TABLE smsc_message (
    bind text NOT NULL,
    smsc_id text NOT NULL,
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    part smallint NOT NULL,
    CONSTRAINT smsc_message_pk PRIMARY KEY (bind, smsc_id)
);

-- Receipts that came before the answer to the submit.
CREATE TABLE parked_receipt (
    bind text NOT NULL,
    smsc_id text NOT NULL,
    id uuid NOT NULL,
    state text NOT NULL,
    error text,
    received_at timestamptz NOT NULL,
    CONSTRAINT parked_receipt_pk PRIMARY KEY (bind, smsc_id, id)
);
CREATE INDEX parked_receipt_by_age ON parked_receipt (received_at);

-- SMS that subscribers sent to us.
CREATE TABLE sms_inbound (
    id uuid CONSTRAINT sms_inbound_pk PRIMARY KEY,
    bind text NOT NULL,
    sender text NOT NULL,
    receiver text NOT NULL,
    body text NOT NULL,
    received_at timestamptz NOT NULL
);
