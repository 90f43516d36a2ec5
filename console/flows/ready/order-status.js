// Made from plugins/flow/flows/order-status/flow.json.
export default {
  "description": "Looks up an order at your shop.",
  "start": "number",
  "secrets": { "apiKey": "change-me" },
  "commands": [{ "words": ["person", "agent"], "next": "person" }],
  "nodes": {
    "number": {
      "type": "question",
      "text": "What is your order number?",
      "save": "order",
      "accept": { "kind": "digits", "min": 4, "max": 8 },
      "retry": "An order number has 4 to 8 digits. You find it in your confirmation.",
      "attempts": 3,
      "otherwise": "person",
      "next": "look-up"
    },
    "look-up": {
      "type": "http",
      "url": "https://orders.example.org/orders/{order}",
      "headers": { "x-api-key": "{secret.apiKey}" },
      "map": { "status": "/status", "day": "/delivery/day" },
      "statuses": { "404": "unknown" },
      "failed": "failed",
      "next": "shown"
    },
    "unknown": { "type": "message", "text": "There is no order {order}.", "next": "number" },
    "failed": { "type": "message", "text": "The order cannot be looked up now.", "next": "person" },
    "shown": {
      "type": "condition",
      "cases": [
        { "attribute": "status", "equals": "shipped", "next": "shipped" },
        { "attribute": "status", "equals": "delivered", "next": "delivered" }
      ],
      "otherwise": "in-work"
    },
    "shipped": { "type": "message", "text": "Order {order} is on its way. It arrives on {day}.", "next": "more" },
    "delivered": { "type": "message", "text": "Order {order} was delivered on {day}.", "next": "more" },
    "in-work": { "type": "message", "text": "Order {order} is being prepared.", "next": "more" },
    "more": {
      "type": "menu",
      "text": "Can we do anything else for you?",
      "options": [
        { "id": "other", "title": "Another order", "next": "number" },
        { "id": "person", "title": "Talk to a person", "next": "person" },
        { "id": "no", "title": "No, thank you", "next": "goodbye" }
      ]
    },
    "person": {
      "type": "hand-over",
      "text": "One moment, a colleague will answer.",
      "team": "Orders",
      "note": "About order {order}, status {status}"
    },
    "goodbye": { "type": "close", "text": "Thank you, goodbye!" }
  }
};
