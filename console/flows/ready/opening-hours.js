// Made from plugins/flow/flows/opening-hours/flow.json.
export default {
  "description": "Hands over to people within the opening hours, and takes a message outside of them. The night shift ends in the morning.",
  "start": "is-open",
  "hours": {
    "monday": ["08:00-17:00"],
    "tuesday": ["08:00-17:00"],
    "wednesday": ["08:00-17:00"],
    "thursday": ["08:00-17:00"],
    "friday": ["08:00-17:00", "20:00-02:00"]
  },
  "released": "anything-else",
  "nodes": {
    "is-open": { "type": "condition", "cases": [{ "open": true, "next": "person" }], "otherwise": "closed" },
    "person": { "type": "hand-over", "text": "Hello {name}! A colleague will answer in a moment." },
    "closed": {
      "type": "menu",
      "text": "Hello {name}! We are not here at the moment. Our hours are Monday to Friday, 08:00-17:00, and Friday night until 02:00.",
      "options": [
        { "id": "note", "title": "Leave a message", "next": "ask-note" },
        { "id": "later", "title": "I write later", "next": "goodbye" }
      ]
    },
    "ask-note": { "type": "question", "text": "Please write your message.", "save": "message", "next": "taken" },
    "taken": {
      "type": "hand-over",
      "text": "Thank you. We answer as soon as we are back.",
      "note": "Left at {time} outside the opening hours: {message}"
    },
    "anything-else": {
      "type": "menu",
      "text": "Is there anything else?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "is-open" },
        { "id": "no", "title": "No", "next": "goodbye" }
      ]
    },
    "goodbye": { "type": "close", "text": "Goodbye!" }
  }
};
