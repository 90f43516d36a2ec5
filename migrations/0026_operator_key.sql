-- Keys of operators (ADR 0068). An operator belongs to no client. A removed key keeps its row: the table is its own trail.
CREATE TABLE operator_key (
    -- SHA-256 of the key. Keys are random, so they need no salt.
    key_hash bytea CONSTRAINT operator_key_pk PRIMARY KEY,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    -- The last use, to some minutes.
    used_at timestamptz,
    removed_at timestamptz
);
-- A name has one key at a time.
CREATE UNIQUE INDEX operator_key_by_name ON operator_key (name) WHERE removed_at IS NULL;
