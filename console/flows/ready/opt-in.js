// Made from plugins/flow/flows/opt-in/flow.json.
export default {
  "description": "Asks for the consent to marketing messages and stores it.",
  "languages": ["en", "de"],
  "start": "known",
  "kept": ["consent", "consentDay", "language"],
  "commands": [
    { "words": ["stop", "stopp"], "next": "withdraw" },
    { "words": ["start"], "next": "grant" },
    { "words": ["deutsch"], "next": "german" }
  ],
  "nodes": {
    "german": { "type": "set", "set": { "language": "de" }, "next": "ask" },
    "known": {
      "type": "condition",
      "cases": [
        { "attribute": "consent", "equals": "yes", "next": "has-consent" },
        { "attribute": "consent", "equals": "no", "next": "has-refused" }
      ],
      "otherwise": "ask"
    },
    "ask": {
      "type": "menu",
      "text": {
        "en": "May we send you offers here? You can end that at any time with STOP. (Deutsch: write DEUTSCH)",
        "de": "Dürfen wir Ihnen hier Angebote senden? Sie können das jederzeit mit STOPP beenden."
      },
      "options": [
        { "id": "yes", "title": { "en": "Yes, please", "de": "Ja, bitte" }, "words": ["yes", "ja"], "next": "grant" },
        { "id": "no", "title": { "en": "No", "de": "Nein" }, "next": "withdraw" }
      ]
    },
    "grant": { "type": "set", "set": { "consent": "yes", "consentDay": "{date}" }, "tags": ["opted-in"], "next": "granted" },
    "granted": {
      "type": "close",
      "text": { "en": "Thank you! You get our offers from now on.", "de": "Danke! Sie bekommen ab jetzt unsere Angebote." }
    },
    "withdraw": { "type": "set", "set": { "consent": "no", "consentDay": "{date}" }, "tags": ["opted-out"], "next": "withdrawn" },
    "withdrawn": {
      "type": "close",
      "text": { "en": "You get no offers. Write START to change that.", "de": "Sie bekommen keine Angebote. Mit START ändern Sie das." }
    },
    "has-consent": {
      "type": "menu",
      "text": { "en": "You get our offers since {consentDay}.", "de": "Sie bekommen seit {consentDay} unsere Angebote." },
      "options": [
        { "id": "keep", "title": { "en": "Keep them", "de": "Weiterhin" }, "next": "granted" },
        { "id": "end", "title": { "en": "End them", "de": "Beenden" }, "next": "withdraw" }
      ]
    },
    "has-refused": {
      "type": "menu",
      "text": { "en": "You get no offers since {consentDay}.", "de": "Sie bekommen seit {consentDay} keine Angebote." },
      "options": [
        { "id": "begin", "title": { "en": "Begin them", "de": "Angebote senden" }, "next": "grant" },
        { "id": "keep", "title": { "en": "Leave it so", "de": "Dabei bleiben" }, "next": "withdrawn" }
      ]
    }
  }
};
