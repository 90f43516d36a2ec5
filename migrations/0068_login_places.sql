-- Places from which an account was logged in to: their wrong passwords are counted apart from those of strangers, who would
-- lock the user out otherwise.
CREATE TABLE login_place (
    -- As in login_failure.
    account_hash bytea NOT NULL,
    -- SHA-256 of the address, or of its network of 64 bits.
    place_hash bytea NOT NULL,
    -- The last login from there, to the day.
    seen_at timestamptz NOT NULL,
    CONSTRAINT login_place_pk PRIMARY KEY (account_hash, place_hash)
);
CREATE INDEX login_place_by_age ON login_place (seen_at);
