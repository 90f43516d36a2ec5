-- Leases of work, processes, single rows of the installation, and message counts.

-- A lane is the work of one key of a queue that one process does in order, for example the outbound messages of one
-- inbox. A row appears at the first lease of a lane. Only leases and renewals write here, so that storing work never
-- waits for the workers. Leases use the real time of the database.
--
-- Each queue table has `client_id`, `lane_id`, `due_at` and `ready`. A row is `ready` from the moment at which it is
-- due. If it is due later, it becomes ready when `storage::work::lanes` finds it by its time. Lanes are found among
-- ready rows only, so the search costs the due work, not the waiting work. So each queue has two partial indexes:
-- `_ready` and `_waiting`.
CREATE TABLE lane (
    client_id uuid NOT NULL,
    queue text NOT NULL,
    lane_id uuid NOT NULL,
    owner uuid NOT NULL,
    leased_until timestamptz NOT NULL,
    -- Grows with each lease. A worker with an older fence has lost the lane.
    fence bigint NOT NULL,
    CONSTRAINT lane_pk PRIMARY KEY (client_id, queue, lane_id)
);

-- The processes that do background work. Each holds a session advisory lock named by its id on a connection of its own.
-- PostgreSQL drops the lock when the process ends in any way. A process that can take the lock knows that the lanes of
-- the other one are free. A row is removed when its process stops, or when another process finds it dead.
CREATE TABLE node (
    id uuid CONSTRAINT node_pk PRIMARY KEY,
    started_at timestamptz NOT NULL
);

-- One row: a known plaintext sealed with the master key, so that a start with another key is refused.
CREATE TABLE master_key_check (
    only_row boolean CONSTRAINT master_key_check_pk PRIMARY KEY DEFAULT true CHECK (only_row),
    sealed bytea NOT NULL
);

-- One row: how far `testing.clock` has moved the business clock of all nodes.
CREATE TABLE testing_clock (
    only_row boolean CONSTRAINT testing_clock_pk PRIMARY KEY DEFAULT true CHECK (only_row),
    offset_seconds bigint NOT NULL
);

-- WhatsApp messages that were submitted, sent, delivered, read, and that failed, by the second of their submission
-- (SPEC 2.11, 4.5; ADR 0022). A statement that moves messages appends changes to `message_count_change`, so it waits
-- for no shared row. Upkeep adds the changes to the counts. The figures at a moment are counts plus changes.
CREATE TABLE message_count (
    client_id uuid NOT NULL,
    -- The same messages by the second and by the hour: a period is whole hours, with seconds at both ends.
    grain text NOT NULL CONSTRAINT message_count_grain_known CHECK (grain IN ('SECOND', 'HOUR')),
    -- Begin of the second or hour of the submission.
    at timestamptz NOT NULL,
    message_type text NOT NULL,
    submitted bigint NOT NULL,
    sent bigint NOT NULL,
    delivered bigint NOT NULL,
    read bigint NOT NULL,
    failed bigint NOT NULL,
    CONSTRAINT message_count_pk PRIMARY KEY (client_id, grain, at, message_type)
);
-- Retention.
CREATE INDEX message_count_by_age ON message_count (at);

-- Rows live for seconds, so vacuum runs by the number of dead rows.
CREATE TABLE message_count_change (
    client_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    -- The second of the submission.
    at timestamptz NOT NULL,
    message_type text NOT NULL,
    submitted integer NOT NULL,
    sent integer NOT NULL,
    delivered integer NOT NULL,
    read integer NOT NULL,
    failed integer NOT NULL,
    CONSTRAINT message_count_change_pk PRIMARY KEY (client_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
