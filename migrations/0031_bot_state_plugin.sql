-- The plugin that set the state of the chatbot: another plugin does not get it. Null: a process of an earlier release set it.
ALTER TABLE participant ADD COLUMN bot_state_plugin text;
