-- Which of a client's own shapers made a webhook's body or said that there is nothing to send: part of the story of a
-- message. Null for what a built-in one made.
ALTER TABLE webhook_delivery
    ADD COLUMN shaper text,
    ADD COLUMN shaper_version integer,
    ADD COLUMN shaper_sha256 text,
    ADD CONSTRAINT webhook_delivery_shaper_named CHECK (shaper IS NOT NULL OR (shaper_version IS NULL AND shaper_sha256 IS NULL));
