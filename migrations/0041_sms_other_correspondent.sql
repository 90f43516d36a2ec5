-- Directory: the other clients that wrote to a subscriber from a source, or have a scheduled message for it, with their
-- latest message. A word such as STOP is for all of them (ADR 0080). The last sender is in `sms_correspondent`.
CREATE TABLE sms_other_correspondent (
    source text NOT NULL,
    subscriber text NOT NULL,
    client_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- Time of the send.
    at timestamptz NOT NULL,
    CONSTRAINT sms_other_correspondent_pk PRIMARY KEY (source, subscriber, client_id)
);
-- Retention.
CREATE INDEX sms_other_correspondent_by_age ON sms_other_correspondent (at);

-- A trigger, because two clients may write at the same time and only the replaced row names the other one. A process of
-- the previous release keeps it, too.
CREATE FUNCTION keep_replaced_correspondent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO sms_other_correspondent (source, subscriber, client_id, message_id, at)
    VALUES (OLD.source, OLD.subscriber, OLD.client_id, OLD.message_id, OLD.at)
    -- A later time is that of a scheduled message, for which the row has to stay.
    ON CONFLICT (source, subscriber, client_id) DO UPDATE
    SET message_id = excluded.message_id, at = greatest(sms_other_correspondent.at, excluded.at);
    RETURN NULL;
END
$$;
CREATE TRIGGER sms_correspondent_replaced AFTER UPDATE ON sms_correspondent FOR EACH ROW
    WHEN (OLD.client_id <> NEW.client_id) EXECUTE FUNCTION keep_replaced_correspondent();
