-- Open connections (live events, web chat) end when the right ends that they were opened with. Whatever can end one is told by a
-- trigger, so no statement changes a right without a notice. A notice is "KIND CLIENT ID". Notifying serialises commits; these
-- columns change by administration only.
CREATE FUNCTION notify_right() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was jsonb := to_jsonb(OLD);
BEGIN
    PERFORM pg_notify('patchbay_right', concat_ws(' ', TG_ARGV[0], was ->> TG_ARGV[1], was ->> TG_ARGV[2]));
    RETURN NULL;
END $$;

CREATE TRIGGER api_key_changed AFTER UPDATE OF key_hash ON api_key FOR EACH ROW
    WHEN (OLD.key_hash IS DISTINCT FROM NEW.key_hash) EXECUTE FUNCTION notify_right('user', 'client_id', 'user_id');
CREATE TRIGGER api_key_removed AFTER DELETE ON api_key FOR EACH ROW
    EXECUTE FUNCTION notify_right('user', 'client_id', 'user_id');

CREATE TRIGGER client_user_changed AFTER UPDATE OF role, team_id, deleted_at ON client_user FOR EACH ROW
    WHEN (OLD.role IS DISTINCT FROM NEW.role OR OLD.team_id IS DISTINCT FROM NEW.team_id
          OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION notify_right('user', 'client_id', 'id');
CREATE TRIGGER client_user_removed AFTER DELETE ON client_user FOR EACH ROW
    EXECUTE FUNCTION notify_right('user', 'client_id', 'id');

CREATE TRIGGER client_masking_changed AFTER UPDATE OF popia_compliant ON client FOR EACH ROW
    WHEN (OLD.popia_compliant IS DISTINCT FROM NEW.popia_compliant)
    EXECUTE FUNCTION notify_right('client', 'id', 'id');

CREATE TRIGGER web_inbox_changed AFTER UPDATE OF origins, deleted_at ON web_inbox FOR EACH ROW
    WHEN (OLD.origins IS DISTINCT FROM NEW.origins OR OLD.deleted_at IS DISTINCT FROM NEW.deleted_at)
    EXECUTE FUNCTION notify_right('site', 'client_id', 'id');
CREATE TRIGGER web_site_key_removed AFTER DELETE ON web_site_directory FOR EACH ROW
    EXECUTE FUNCTION notify_right('site', 'client_id', 'inbox_id');

-- A ticket is good only while the key is in force that it was asked for with. Null: written by a version that did not say.
ALTER TABLE live_ticket ADD COLUMN key_hash bytea;

-- Until when later messages of the same chat wait for this one, which could not be handed over yet. Null: nothing waits for it.
ALTER TABLE outbound_work ADD COLUMN holds_until timestamptz;
CREATE INDEX outbound_work_holding ON outbound_work (client_id, lane_id, recipient) WHERE holds_until IS NOT NULL;

-- The key of the message that answered the form before a chat: answers that come again are that message.
ALTER TABLE web_visitor ADD COLUMN form_key text;
