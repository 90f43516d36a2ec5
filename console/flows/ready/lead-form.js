// Made from plugins/flow/flows/lead-form/flow.json.
export default {
  "description": "Asks a person who is interested for contact data, and gives it to the sales team.",
  "start": "intro",
  "kept": ["fullName", "email"],
  "idle": { "minutes": 120, "next": "reminder" },
  "commands": [{ "words": ["stop"], "next": "stopped" }],
  "nodes": {
    "intro": { "type": "message", "text": "Thank you for your interest! We have four short questions.", "next": "full-name" },
    "full-name": {
      "type": "question",
      "text": "What is your name?",
      "save": "fullName",
      "accept": { "kind": "text", "min": 2, "max": 80 },
      "retry": "Please write your name, with 2 to 80 letters.",
      "next": "email"
    },
    "email": {
      "type": "question",
      "text": "What is your e-mail address, {fullName}?",
      "save": "email",
      "accept": { "kind": "email" },
      "retry": "That is not an e-mail address. Please write one such as name@example.org.",
      "next": "size"
    },
    "size": {
      "type": "question",
      "text": "How many people work at your company?",
      "save": "size",
      "accept": { "kind": "integer", "min": 1, "max": 1000000 },
      "retry": "Please write a number, such as 25.",
      "next": "interest"
    },
    "interest": {
      "type": "menu",
      "text": "What are you interested in?",
      "save": "interest",
      "options": [
        { "id": "offer", "title": "An offer", "next": "judge" },
        { "id": "demo", "title": "A demonstration", "next": "judge" },
        { "id": "news", "title": "Information only", "next": "tag" }
      ]
    },
    "judge": {
      "type": "condition",
      "cases": [{ "attribute": "size", "above": 49, "next": "large" }],
      "otherwise": "sales"
    },
    "large": { "type": "set", "tags": ["lead", "large-company"], "next": "sales" },
    "sales": {
      "type": "hand-over",
      "text": "Thank you, {fullName}. A colleague of our sales team will write to you here.",
      "team": "Sales",
      "note": "{fullName}, {email}, {size} people, wants: {interest}"
    },
    "tag": { "type": "set", "tags": ["lead"], "next": "thanks" },
    "thanks": { "type": "close", "text": "Thank you, {fullName}. We will send our brochure to {email}." },
    "reminder": {
      "type": "menu",
      "text": "Would you like to go on with our questions?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "full-name" },
        { "id": "no", "title": "No", "next": "stopped" }
      ]
    },
    "stopped": { "type": "close", "text": "All right. Write to us any time." }
  }
};
