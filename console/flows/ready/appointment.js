// Made from plugins/flow/flows/appointment/flow.json.
export default {
  "description": "Asks for a service, a day and a time, and stores the appointment at your system.",
  "start": "service",
  "secrets": { "token": "change-me" },
  "idle": { "minutes": 30, "next": "left" },
  "commands": [{ "words": ["cancel"], "next": "cancelled" }],
  "nodes": {
    "service": {
      "type": "menu",
      "text": "Hello {name}! For which service do you need an appointment?",
      "save": "service",
      "options": [
        { "id": "check-up", "title": "Check-up", "next": "day" },
        { "id": "repair", "title": "Repair", "next": "day" },
        { "id": "advice", "title": "Advice", "next": "day" }
      ]
    },
    "day": {
      "type": "question",
      "text": "On which day? Please write it as 2026-12-31.",
      "save": "day",
      "accept": { "kind": "date", "min": 1, "max": 60 },
      "retry": "Please write a day of the next 60 days, such as 31.12.2026.",
      "attempts": 3,
      "otherwise": "person",
      "next": "hour"
    },
    "hour": {
      "type": "menu",
      "text": "At which time on {day}?",
      "label": "Times",
      "save": "hour",
      "options": [
        { "id": "0900", "title": "09:00", "next": "confirm" },
        { "id": "1100", "title": "11:00", "next": "confirm" },
        { "id": "1400", "title": "14:00", "next": "confirm" },
        { "id": "1600", "title": "16:00", "next": "confirm" }
      ]
    },
    "confirm": {
      "type": "menu",
      "text": "{service} on {day} at {hour}: is that right?",
      "options": [
        { "id": "yes", "title": "Yes", "next": "book" },
        { "id": "no", "title": "No, change it", "next": "service" }
      ]
    },
    "book": {
      "type": "http",
      "method": "POST",
      "url": "https://appointments.example.org/appointments",
      "headers": { "authorization": "Bearer {secret.token}" },
      "body": { "service": "{service}", "day": "{day}", "hour": "{hour}", "phone": "{phone}" },
      "map": { "reference": "/reference" },
      "statuses": { "409": "taken" },
      "failed": "person",
      "next": "booked"
    },
    "taken": { "type": "message", "text": "That time is taken already.", "next": "day" },
    "booked": { "type": "close", "text": "Your appointment is booked. Your reference is {reference}." },
    "person": {
      "type": "hand-over",
      "text": "A colleague will arrange the appointment with you.",
      "note": "Wanted: {service} on {day} at {hour}"
    },
    "cancelled": { "type": "close", "text": "No appointment was made." },
    "left": { "type": "close", "text": "We have not heard from you. Write to us any time to make an appointment." }
  }
};
