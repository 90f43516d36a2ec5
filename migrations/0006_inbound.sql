-- Callbacks of providers and the files of customers.

-- A callback is stored before it is answered. A queue; the lane is the inbox, or the client for account events.
CREATE TABLE callback (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    item jsonb NOT NULL,
    received_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    attempts smallint NOT NULL DEFAULT 0,
    -- The error after the last attempt; the row is kept for the operator.
    failure text,
    CONSTRAINT callback_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX callback_ready ON callback (client_id, lane_id, id) WHERE failure IS NULL AND ready;
CREATE INDEX callback_waiting ON callback (due_at) WHERE failure IS NULL AND NOT ready;
-- Retention.
CREATE INDEX callback_failed_by_age ON callback (received_at) WHERE failure IS NOT NULL;

-- Meta repeats callbacks for up to seven days; each fact is taken once.
CREATE TABLE callback_seen (
    client_id uuid NOT NULL,
    dedupe_hash bytea NOT NULL,
    seen_at timestamptz NOT NULL,
    CONSTRAINT callback_seen_pk PRIMARY KEY (client_id, dedupe_hash)
);
-- Retention.
CREATE INDEX callback_seen_by_age ON callback_seen (seen_at);

-- Items of callbacks that could not be read, kept for inspection.
CREATE TABLE failed_callback (
    client_id uuid NOT NULL,
    -- With the time of receipt, so the order of ids is the order of age.
    id uuid NOT NULL,
    -- The same for the same bytes.
    dedupe_hash bytea NOT NULL,
    -- The kind of inbox that the provider serves.
    provider text NOT NULL,
    -- The part of a callback that it is.
    kind text NOT NULL,
    reason text NOT NULL,
    -- The first 64 KiB of the item.
    content text NOT NULL,
    size_bytes bigint NOT NULL,
    received_at timestamptz NOT NULL,
    CONSTRAINT failed_callback_pk PRIMARY KEY (client_id, id)
);
CREATE UNIQUE INDEX failed_callback_once ON failed_callback (client_id, dedupe_hash);
-- Retention.
CREATE INDEX failed_callback_by_age ON failed_callback (received_at);

-- Files that customers sent. The id, and so the URL, exists before the file is fetched. A queue; the lane is the inbox
-- whose token opens the file.
CREATE TABLE media (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    lane_id uuid NOT NULL,
    state text NOT NULL DEFAULT 'PENDING' CONSTRAINT media_state_known CHECK (state IN ('PENDING', 'READY', 'FAILED')),
    provider_media_id text NOT NULL,
    source_url text,
    mime_type text NOT NULL,
    extension text NOT NULL,
    filename text,
    sha256 text,
    size_bytes bigint,
    due_at timestamptz NOT NULL,
    ready boolean NOT NULL DEFAULT true,
    attempts smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT media_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX media_ready ON media (client_id, lane_id, due_at) WHERE state = 'PENDING' AND ready;
CREATE INDEX media_waiting ON media (due_at) WHERE state = 'PENDING' AND NOT ready;
-- Retention.
CREATE INDEX media_by_age ON media (id);

-- The files themselves, if `media.store` keeps them in the database. In parts, so that no process holds a whole file.
-- Not compressed, because most files are already.
CREATE TABLE media_content (
    client_id uuid NOT NULL,
    media_id uuid NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL,
    CONSTRAINT media_content_pk PRIMARY KEY (client_id, media_id, part)
);
ALTER TABLE media_content ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- The advertisement or link that led a customer to a page, until the customer writes: Messenger reports it separately.
CREATE TABLE waiting_referral (
    client_id uuid NOT NULL,
    inbox_id uuid NOT NULL,
    -- The PSID of the customer.
    address text NOT NULL,
    referral jsonb NOT NULL, -- {"v":1,"value":domain::referral::Referral}
    came_at timestamptz NOT NULL,
    CONSTRAINT waiting_referral_pk PRIMARY KEY (client_id, inbox_id, address),
    CONSTRAINT waiting_referral_inbox_fk FOREIGN KEY (client_id, inbox_id) REFERENCES inbox (client_id, id) ON DELETE CASCADE
);
-- Retention.
CREATE INDEX waiting_referral_by_age ON waiting_referral (came_at);
