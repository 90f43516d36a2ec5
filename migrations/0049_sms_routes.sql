-- The world `sms-router`, and what routers decided about each SMS. Columns without a default: nothing is rewritten, and the release
-- before neither reads nor writes them.
ALTER TABLE plugin
    DROP CONSTRAINT plugin_world_known,
    ADD CONSTRAINT plugin_world_known
        CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper', 'router', 'sms-router'));
ALTER TABLE plugin_activation
    DROP CONSTRAINT plugin_activation_world_known,
    ADD CONSTRAINT plugin_activation_world_known
        CHECK (world IN ('chatbot', 'sms-fallback', 'webhook-shaper', 'router', 'sms-router'));

-- Of legs that are SMS. Written with the mark that precedes the submit, so that a repetition goes the same way.
ALTER TABLE outbound_leg ADD COLUMN sms_route jsonb;
ALTER TABLE sms_inbound ADD COLUMN sms_route jsonb;
