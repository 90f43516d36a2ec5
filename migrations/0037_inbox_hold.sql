-- The provider refuses the token or the account of the inbox, so its messages wait. All null: they do not.
ALTER TABLE inbox_fault
    -- The first refusal of this series. Messages fail when they have waited too long since then.
    ADD COLUMN held_since timestamptz,
    -- The outbound lane is closed until then. After it, one message is tried.
    ADD COLUMN held_until timestamptz,
    -- The provider's code of the last refusal.
    ADD COLUMN held_code bigint,
    ADD CONSTRAINT inbox_fault_hold CHECK ((held_since IS NULL) = (held_until IS NULL)
        AND (held_since IS NULL) = (held_code IS NULL)) NOT VALID;
