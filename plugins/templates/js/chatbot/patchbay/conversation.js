// The stored facts of the conversation, as they are now: tags of the chat, running timers, the last messages.

export { history, tags, timers } from 'patchbay:plugin/conversation@0.3.0';
