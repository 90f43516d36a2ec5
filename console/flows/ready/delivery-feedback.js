// Made from plugins/flow/flows/delivery-feedback/flow.json.
export default {
  "description": "Asks for feedback two hours after your system reports a delivery with the custom event `delivered`.",
  "start": "hello",
  "kept": ["order"],
  "events": [{ "name": "delivered", "map": { "order": "/order" }, "next": "later" }],
  "idle": { "minutes": 1440, "next": "quiet" },
  "nodes": {
    "hello": {
      "type": "menu",
      "text": "Hello {name}! What can we do for you?",
      "options": [
        { "id": "feedback", "title": "Rate a delivery", "next": "stars" },
        { "id": "person", "title": "Talk to a person", "next": "person" }
      ]
    },
    "later": { "type": "wait", "seconds": 7200, "onMessage": "stars", "next": "stars" },
    "stars": {
      "type": "menu",
      "text": "How was the delivery of your order {order}?",
      "save": "stars",
      "retry": "Please choose one of the answers.",
      "options": [
        { "id": "good", "title": "Good", "words": ["great", "fine"], "next": "thanks" },
        { "id": "late", "title": "Too late", "next": "details" },
        { "id": "damaged", "title": "Damaged", "next": "damaged" }
      ]
    },
    "details": { "type": "question", "text": "What happened?", "save": "details", "next": "person" },
    "damaged": {
      "type": "question",
      "text": "We are sorry. Please send a photo of the parcel.",
      "save": "photo",
      "accept": { "kind": "file" },
      "retry": "Please send a photo.",
      "attempts": 2,
      "otherwise": "person",
      "next": "person"
    },
    "person": {
      "type": "hand-over",
      "text": "A colleague will take care of it.",
      "team": "Delivery",
      "note": "Order {order}: {stars}. {details} {photo}"
    },
    "thanks": { "type": "close", "text": "Thank you, we are glad to hear that!" },
    "quiet": { "type": "close" }
  }
};
