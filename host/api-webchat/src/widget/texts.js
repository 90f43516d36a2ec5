// The default texts of the widget. `{name}` is a placeholder.
const TEXTS = {
  launcher: "Chat with us",
  title: "Chat",
  greeting: "Hello! How can we help?",
  placeholder: "Write a message",
  send: "Send",
  attach: "Attach a file",
  close: "Close chat",
  newMessages: "{count} new messages",
  typing: "{name} is typing",
  queued: "We are connecting you with an agent. You can continue to write.",
  afterHours: "We are not available now. Write to us, and we will answer when we are back.",
  agentJoined: "You are talking with {name}",
  bot: "Assistant",
  agent: "Agent",
  you: "You",
  conversationClosed: "This conversation has ended. Write a message to begin a new one.",
  offline: "No connection. Your messages are sent when it is back.",
  reconnecting: "Connecting",
  sending: "Sending",
  failed: "Not sent: {reason}",
  retry: "Send again",
  rate: "How was our service?",
  rated: "Thank you for your rating",
  formTitle: "Before we begin",
  formSubmit: "Begin chat",
  choose: "Choose",
  earlier: "Show earlier messages",
  fileTooLarge: "This file is too large",
  fileRefused: "This file was not accepted: {reason}",
  tooFast: "Too many messages in a short time. Wait a moment.",
  location: "Location on the map",
  download: "Open file {name}",
  delivered: "Sent",
  seen: "Seen",
  messages: "Messages",
};

/** The texts of a site take precedence. @param {Record<string, string>} own @returns {Wording} */
function wording(own) {
  return function text(key, values) {
    const template = own[key] || TEXTS[key];
    return template.replace(/\{(\w+)\}/g, function (whole, name) {
      return values && values[name] !== undefined ? String(values[name]) : whole;
    });
  };
}
