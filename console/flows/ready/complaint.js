// Made from plugins/flow/flows/complaint/flow.json.
export default {
  "description": "Takes a complaint with an optional photo and hands it to people.",
  "start": "sorry",
  "idle": { "minutes": 60, "next": "incomplete" },
  "nodes": {
    "sorry": { "type": "message", "text": "We are sorry that something went wrong. We will take your complaint now.", "next": "subject" },
    "subject": {
      "type": "menu",
      "text": "What is it about?",
      "label": "Subjects",
      "save": "subject",
      "options": [
        { "id": "product", "title": "A product", "next": "details" },
        { "id": "delivery", "title": "A delivery", "next": "details" },
        { "id": "invoice", "title": "An invoice", "next": "details" },
        { "id": "staff", "title": "Our staff", "next": "details" }
      ]
    },
    "details": {
      "type": "question",
      "text": "Please describe what happened.",
      "save": "details",
      "accept": { "kind": "text", "min": 10 },
      "retry": "Please write a little more, so that we understand it.",
      "next": "has-photo"
    },
    "has-photo": {
      "type": "menu",
      "text": "Do you have a photo of it?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "photo" },
        { "id": "no", "title": "No", "next": "urgent" }
      ]
    },
    "photo": {
      "type": "question",
      "text": "Please send the photo.",
      "save": "photo",
      "accept": { "kind": "file" },
      "retry": "That is not a photo. Please send it as a picture.",
      "attempts": 2,
      "otherwise": "urgent",
      "next": "urgent"
    },
    "urgent": {
      "type": "menu",
      "text": "How urgent is it?",
      "save": "urgency",
      "options": [
        { "id": "today", "title": "Today", "next": "mark" },
        { "id": "week", "title": "This week", "next": "taken" }
      ]
    },
    "mark": { "type": "set", "tags": ["urgent-complaint"], "next": "taken" },
    "taken": {
      "type": "hand-over",
      "text": "Thank you. We have your complaint, and a colleague will answer here.",
      "team": "Complaints",
      "note": "{subject}, urgency: {urgency}. {details} Photo: {photo}"
    },
    "incomplete": {
      "type": "hand-over",
      "text": "A colleague will go on with your complaint.",
      "team": "Complaints",
      "note": "Incomplete complaint about: {subject}. {details}"
    }
  }
};
