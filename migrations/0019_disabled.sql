-- Objects that the operator has disabled (docs/operations.md). Null: enabled.
ALTER TABLE client ADD COLUMN disabled_at timestamptz;
-- The client is being removed: no queue works for it.
ALTER TABLE client ADD COLUMN removal_begun_at timestamptz;
ALTER TABLE client_user ADD COLUMN disabled_at timestamptz;
ALTER TABLE api_key ADD COLUMN disabled_at timestamptz;
ALTER TABLE inbox ADD COLUMN disabled_at timestamptz;
ALTER TABLE email_sender ADD COLUMN disabled_at timestamptz;

-- Open connections are checked again, as for other rights (`notify_right`).
CREATE TRIGGER client_disabled AFTER UPDATE OF disabled_at ON client FOR EACH ROW
    WHEN (OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
    EXECUTE FUNCTION notify_right('client', 'id', 'id');
CREATE TRIGGER client_user_disabled AFTER UPDATE OF disabled_at ON client_user FOR EACH ROW
    WHEN (OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
    EXECUTE FUNCTION notify_right('user', 'client_id', 'id');
CREATE TRIGGER api_key_disabled AFTER UPDATE OF disabled_at ON api_key FOR EACH ROW
    WHEN (OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
    EXECUTE FUNCTION notify_right('user', 'client_id', 'user_id');
CREATE TRIGGER inbox_disabled AFTER UPDATE OF disabled_at ON inbox FOR EACH ROW
    WHEN (OLD.kind = 'WEB' AND OLD.disabled_at IS DISTINCT FROM NEW.disabled_at)
    EXECUTE FUNCTION notify_right('site', 'client_id', 'id');
