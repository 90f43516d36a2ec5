-- The last failed attempt of an endpoint since `failing_since`, up to an hour early: a failure after a long pause is not part of
-- the same failure. Null: healthy, or a process of an earlier release set `failing_since`.
ALTER TABLE webhook_endpoint ADD COLUMN last_failed_at timestamptz;
