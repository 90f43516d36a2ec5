-- Secrets that were replaced before the previous one and sign too until they expire, as it does: the newest first.
ALTER TABLE webhook_config
    ADD COLUMN older_secrets_sealed bytea[] NOT NULL DEFAULT '{}',
    ADD COLUMN older_secrets_expire_at timestamptz[] NOT NULL DEFAULT '{}';
