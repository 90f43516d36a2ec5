-- What providers tell us: stored before it is answered, worked off in order per business number.

CREATE TABLE callback (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- The business number; the client itself for account events.
    lane_id uuid NOT NULL,
    item jsonb NOT NULL,
    received_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    attempts smallint NOT NULL DEFAULT 0,
    -- Set when it was given up; kept for the operator.
    failure text,
    CONSTRAINT callback_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX callback_by_lane ON callback (client_id, lane_id, id) WHERE failure IS NULL;

-- Meta repeats callbacks for up to seven days; a fact is taken once.
CREATE TABLE callback_seen (
    client_id uuid NOT NULL,
    dedupe_hash bytea NOT NULL,
    seen_at timestamptz NOT NULL,
    CONSTRAINT callback_seen_pk PRIMARY KEY (client_id, dedupe_hash)
);
CREATE INDEX callback_seen_by_age ON callback_seen (seen_at);

-- Files that customers sent. The id, and so the address, exists before the file has been fetched.
CREATE TABLE media (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- The business number whose token opens the file.
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
    attempts smallint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CONSTRAINT media_pk PRIMARY KEY (client_id, id)
);
CREATE INDEX media_by_age ON media (id);
CREATE INDEX media_by_lane ON media (client_id, lane_id, due_at) WHERE state = 'PENDING';
