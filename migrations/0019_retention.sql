-- What retention deletes is found by an index, so that it costs what is old and not what is there. Rows come in order of
-- time: each of these indexes grows at its end.

CREATE INDEX provider_message_by_age ON provider_message ((COALESCE(outbound_message_id, chat_message_id)));
CREATE INDEX fallback_by_age ON fallback (message_id);
CREATE INDEX smsc_message_by_age ON smsc_message (message_id);
CREATE INDEX sms_part_by_age ON sms_part (message_id);
CREATE INDEX sms_inbound_by_age ON sms_inbound (received_at);
CREATE INDEX callback_failed_by_age ON callback (received_at) WHERE failure IS NOT NULL;
CREATE INDEX plugin_event_by_age ON plugin_event (at);
CREATE INDEX plugin_shadow_skip_by_age ON plugin_shadow_skip (last_at);
CREATE INDEX login_failure_by_age ON login_failure (failed_at);

-- Default partitions hold what no week was made for in time. They are never dropped: their rows are deleted by age, that is
-- by the id that the table is partitioned by.
DO $$
DECLARE
    found record;
BEGIN
    FOR found IN
        SELECT part.relname AS name, substring(pg_get_partkeydef(inhparent) FROM '\((\w+)\)') AS key
        FROM pg_inherits JOIN pg_class part ON part.oid = inhrelid
        WHERE pg_get_expr(part.relpartbound, part.oid) = 'DEFAULT'
    LOOP
        EXECUTE format('CREATE INDEX %I ON %I (%I)', found.name || '_by_age', found.name, found.key);
    END LOOP;
END $$;
