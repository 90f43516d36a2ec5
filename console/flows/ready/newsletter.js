// Made from plugins/flow/flows/newsletter/flow.json.
export default {
  "description": "Signs a person up for a newsletter by e-mail.",
  "start": "offer",
  "secrets": { "listKey": "change-me" },
  "kept": ["email"],
  "nodes": {
    "offer": {
      "type": "menu",
      "text": "Hello {name}! Would you like our newsletter, once a month by e-mail?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "known-email" },
        { "id": "no", "title": "No", "next": "goodbye" }
      ]
    },
    "known-email": {
      "type": "condition",
      "cases": [{ "attribute": "email", "exists": true, "next": "same-email" }],
      "otherwise": "email"
    },
    "same-email": {
      "type": "menu",
      "text": "Shall we send it to {email}?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "topic" },
        { "id": "other", "title": "Another address", "next": "email" }
      ]
    },
    "email": {
      "type": "question",
      "text": "What is your e-mail address?",
      "save": "email",
      "accept": { "kind": "email" },
      "retry": "Please write an address such as name@example.org.",
      "attempts": 3,
      "otherwise": "goodbye",
      "next": "topic"
    },
    "topic": {
      "type": "menu",
      "text": "Which topic is yours?",
      "save": "topic",
      "options": [
        { "id": "products", "title": "Products", "next": "sign-up" },
        { "id": "events", "title": "Events", "next": "sign-up" },
        { "id": "all", "title": "Everything", "next": "sign-up" }
      ]
    },
    "sign-up": {
      "type": "http",
      "method": "PUT",
      "url": "https://newsletter.example.org/subscribers/{email}",
      "headers": { "x-list-key": "{secret.listKey}" },
      "body": { "topic": "{topic}", "name": "{name}" },
      "failed": "failed",
      "next": "signed-up"
    },
    "signed-up": { "type": "set", "tags": ["newsletter"], "next": "confirm" },
    "confirm": { "type": "close", "text": "Almost done: please confirm the e-mail that we sent to {email}." },
    "failed": { "type": "hand-over", "text": "That did not work. A colleague will sign you up.", "note": "Newsletter for {email}, topic {topic}" },
    "goodbye": { "type": "close", "text": "All right. Goodbye!" }
  }
};
