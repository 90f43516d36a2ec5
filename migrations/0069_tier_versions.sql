-- Groups of sends that count recipients for a number close to the limit of its tier follow one another: each raises the version that
-- it has read, and one that was overtaken violates the constraint, stores nothing and looks again (ADR 0047).
ALTER TABLE messaging_tier
    ADD COLUMN version bigint NOT NULL DEFAULT 0,
    ADD CONSTRAINT messaging_tier_not_overtaken CHECK (version >= 0);
