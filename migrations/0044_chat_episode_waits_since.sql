-- Since when the customer waits for the first answer of an agent. It begins again after a chatbot had the chat, and is null
-- while a chatbot has it. For a chat that waits already, or that the previous release moves, it is unknown until the next move.
ALTER TABLE chat_episode ADD COLUMN waits_since timestamptz;
