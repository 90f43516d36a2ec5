// Made from plugins/flow/flows/survey/flow.json.
export default {
  "description": "Three questions about a service. Low scores go to people at once.",
  "start": "ready",
  "commands": [{ "words": ["stop"], "next": "stopped" }],
  "nodes": {
    "ready": {
      "type": "menu",
      "text": "May we ask you three questions about our service?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "score" },
        { "id": "no", "title": "No", "next": "stopped" }
      ]
    },
    "score": {
      "type": "question",
      "text": "How likely is it that you recommend us to a friend? Please write a number from 0 to 10.",
      "save": "score",
      "accept": { "kind": "integer", "min": 0, "max": 10 },
      "retry": "Please write a number from 0 to 10.",
      "attempts": 3,
      "otherwise": "stopped",
      "next": "best"
    },
    "best": {
      "type": "menu",
      "text": "What did you like most?",
      "label": "Answers",
      "save": "best",
      "options": [
        { "id": "price", "title": "Price", "next": "comment" },
        { "id": "quality", "title": "Quality", "next": "comment" },
        { "id": "speed", "title": "Speed", "next": "comment" },
        { "id": "people", "title": "The people", "next": "comment" },
        { "id": "nothing", "title": "Nothing", "next": "comment" }
      ]
    },
    "comment": {
      "type": "question",
      "text": "What should we do better?",
      "save": "comment",
      "next": "store"
    },
    "store": {
      "type": "http",
      "method": "POST",
      "url": "https://surveys.example.org/answers",
      "body": { "score": "{score}", "best": "{best}", "comment": "{comment}" },
      "failed": "judge",
      "next": "judge"
    },
    "judge": {
      "type": "condition",
      "cases": [{ "attribute": "score", "below": 5, "next": "unhappy" }],
      "otherwise": "thanks"
    },
    "unhappy": {
      "type": "hand-over",
      "text": "Thank you. We are sorry that you are not happy. A colleague will write to you.",
      "team": "Quality",
      "note": "Score {score}. Best: {best}. Comment: {comment}"
    },
    "thanks": { "type": "close", "text": "Thank you for your answers!" },
    "stopped": { "type": "close", "text": "All right, thank you." }
  }
};
