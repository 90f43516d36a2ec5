// Made from plugins/flow/flows/faq/flow.json.
export default {
  "description": "Questions and answers in two languages, with a way to a person.",
  "languages": ["en", "af"],
  "kept": ["language"],
  "start": "known-language",
  "idle": { "minutes": 60, "next": "goodbye" },
  "commands": [
    { "words": ["menu", "kieslys"], "next": "questions" },
    { "words": ["language", "taal"], "next": "language" },
    { "words": ["person", "agent", "mens"], "next": "person" }
  ],
  "nodes": {
    "known-language": {
      "type": "condition",
      "cases": [{ "attribute": "language", "exists": true, "next": "questions" }],
      "otherwise": "language"
    },
    "language": {
      "type": "menu",
      "text": { "en": "Hello {name}! Which language do you prefer?", "af": "Hallo {name}! Watter taal verkies u?" },
      "save": "language",
      "options": [
        { "id": "en", "title": { "en": "English", "af": "English" }, "next": "questions" },
        { "id": "af", "title": { "en": "Afrikaans", "af": "Afrikaans" }, "next": "questions" }
      ]
    },
    "questions": {
      "type": "menu",
      "text": { "en": "How can we help you?", "af": "Hoe kan ons u help?" },
      "label": { "en": "Questions", "af": "Vrae" },
      "retry": { "en": "Please choose one of these:", "af": "Kies asseblief een van hierdie:" },
      "attempts": 2,
      "otherwise": "person",
      "options": [
        {
          "id": "delivery",
          "title": { "en": "Delivery", "af": "Aflewering" },
          "description": { "en": "Times and costs", "af": "Tye en koste" },
          "words": ["shipping", "versending"],
          "next": "delivery"
        },
        {
          "id": "returns",
          "title": { "en": "Returns", "af": "Terugsendings" },
          "words": ["refund", "terugbetaling"],
          "next": "returns"
        },
        { "id": "payment", "title": { "en": "Payment", "af": "Betaling" }, "next": "payment" },
        { "id": "person", "title": { "en": "Talk to a person", "af": "Praat met 'n mens" }, "next": "person" }
      ]
    },
    "delivery": {
      "type": "message",
      "text": { "en": "We deliver within two working days.", "af": "Ons lewer binne twee werksdae af." },
      "next": "more"
    },
    "returns": {
      "type": "message",
      "text": { "en": "You can return everything within 30 days.", "af": "U kan alles binne 30 dae terugstuur." },
      "next": "more"
    },
    "payment": {
      "type": "message",
      "text": { "en": "You can pay by card or by bank transfer.", "af": "U kan met 'n kaart of bankoorplasing betaal." },
      "next": "more"
    },
    "more": {
      "type": "menu",
      "text": { "en": "Do you have another question?", "af": "Het u nog 'n vraag?" },
      "options": [
        { "id": "yes", "title": { "en": "Yes", "af": "Ja" }, "next": "questions" },
        { "id": "no", "title": { "en": "No, thank you", "af": "Nee, dankie" }, "next": "goodbye" },
        { "id": "person", "title": { "en": "Talk to a person", "af": "Praat met 'n mens" }, "next": "person" }
      ]
    },
    "person": {
      "type": "hand-over",
      "text": { "en": "One moment, a colleague will answer.", "af": "Een oomblik, 'n kollega sal antwoord." },
      "note": "The customer needs a person. Language: {language}"
    },
    "goodbye": { "type": "close", "text": { "en": "Thank you, goodbye!", "af": "Dankie, totsiens!" } }
  }
};
