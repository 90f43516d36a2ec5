-- A source of SMS that the operator has taken from its client. The inbox stays, because messages and chats name it; what was accepted
-- goes out over it, and nothing new may choose it. Added again, it is the same one.
--
-- A process of the release before goes on offering it, until it is stopped.

ALTER TABLE sms_inbox ADD COLUMN removed_at timestamptz; -- null: it may be chosen
