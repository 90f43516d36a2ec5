-- Erasures of persons that have ended (ADR 0077). Processes copy the rows into a file outside of the database. A restore of an older
-- backup repeats the erasures that the backup does not have.
CREATE TABLE erasure (
    client_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Real time.
    erased_at timestamptz NOT NULL,
    with_stops boolean NOT NULL,
    -- Keyed hashes of the addresses, as in the audit trail.
    person_names text[] NOT NULL,
    CONSTRAINT erasure_pk PRIMARY KEY (client_id, id)
);
-- Rows that the file does not have yet.
CREATE INDEX erasure_by_time ON erasure (erased_at);
