-- A business may raise events for the chatbot of a chat.

ALTER TABLE participant_event
    DROP CONSTRAINT participant_event_kind_known,
    ADD CONSTRAINT participant_event_kind_known
        CHECK (kind IN ('ROUTE', 'STARTED', 'MESSAGE', 'RATING', 'TIMER', 'CUSTOM'));
