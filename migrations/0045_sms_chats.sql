-- Who answers an SMS that was sent through the send endpoints, or as a fallback, is in a chat of the SMS inbox.

ALTER TABLE participant
    DROP CONSTRAINT participant_channel_known,
    ADD CONSTRAINT participant_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'WEB', 'SMS'));
ALTER TABLE chat_message
    DROP CONSTRAINT chat_message_channel_known,
    ADD CONSTRAINT chat_message_channel_known CHECK (channel IN ('WHATSAPP', 'FACEBOOK', 'WEB', 'SMS'));
