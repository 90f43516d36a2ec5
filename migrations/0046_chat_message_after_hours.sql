-- The text that a team sends outside its hours. It has the owner BOT, but no chatbot wrote it.
ALTER TABLE chat_message ADD COLUMN after_hours boolean NOT NULL DEFAULT false;
