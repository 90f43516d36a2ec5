-- Key-values of chatbots may end by themselves, and are listed by their names.

ALTER TABLE chatbot_value ADD COLUMN expires_at timestamptz;
-- Names in the order of their bytes, whatever the collation of the database.
CREATE INDEX chatbot_value_by_name ON chatbot_value (client_id, plugin, participant_id, key COLLATE "C");
-- What upkeep removes.
CREATE INDEX chatbot_value_expiring ON chatbot_value (expires_at) WHERE expires_at IS NOT NULL;
