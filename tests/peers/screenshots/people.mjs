// The people of the demo: users of the client, its customers, and what they say.

export const USERS = [
  { name: "Nomsa Dlamini", email: "nomsa@shop.example", role: "ADMIN", team: "Orders" },
  { name: "Marco Silva", email: "marco@shop.example", role: "AGENT", team: "Orders" },
  { name: "Aisha Khan", email: "aisha@shop.example", role: "AGENT", team: "Returns" },
  { name: "Jonas Weber", email: "jonas@shop.example", role: "SUPERVISOR", team: "Returns" },
];

export const TEAMS = ["Orders", "Returns"];

export const CANNED_REPLIES = [
  ["hours", "We are open Monday to Friday, 08:00 to 17:00, and on Saturdays until 13:00."],
  ["label", "I have sent the return label to your e-mail address, {{customer.name}}. Please put it on the parcel."],
  ["thanks", "Thank you for writing to us, {{customer.name}}. Have a good day!"],
];

/** The configuration of the bot. */
export const BOT = {
  greeting: "Hello {name}, welcome to Sample Shop! How can we help you?",
  handOver: "One moment please, a colleague will be with you.",
  menuLabel: "Choose",
  topics: [
    { id: "delivery", title: "Delivery times", answer: "Orders leave our warehouse within a day. Johannesburg and Cape Town take two days, other places four.", words: ["delivery", "shipping"] },
    { id: "returns", title: "Returns", answer: "You can return anything within 30 days. Ask for a person, and we send you a label.", words: ["return", "refund"] },
  ],
  hours: Object.fromEntries(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day, ["00:00-23:59"]])),
};

/** Customers of the past days: they ask the bot for a person, get an answer, and rate it. */
export const PAST = [
  "Ayanda Ndlovu", "Pieter Botha", "Zanele Khumalo", "Grace Mwangi", "Tariq Hassan", "Ines Costa", "Kabelo Mokoena", "Hannah Fischer", "Sibusiso Zulu", "Chloe Martin", "Naledi Sithole", "Omar Farouk",
  "Elena Petrova", "Bongani Nkosi", "Lucia Romano", "David Osei", "Fatima Noor", "Johan Venter", "Palesa Radebe", "Mei Chen", "Thomas Meyer", "Refilwe Maluleke", "Samuel Okafor", "Anke Visser",
];

export const QUESTIONS = [
  ["Where is my order?", "It left our warehouse this morning and arrives tomorrow."],
  ["Can I change the address of my order?", "Yes, it has not left yet. Which address shall it be?"],
  ["The blue jacket is too small", "We exchange it. I send you a label for the return."],
  ["My voucher does not work", "It needs an order of at least 300 rand. Shall I add it to yours?"],
  ["Do you have the lamp in black?", "We get it next week. I put one aside for you."],
];

/** The chats of today. A step is `[who, text]`: the customer (`in`), a tap of theirs, a user by first name, a note, or a time in seconds. */
export const TODAY = [
  {
    name: "Johan van Wyk", channel: "TELEGRAM", id: "7000000002", steps: [["in", "hi"], ["bot"], ["in", "delivery"], ["bot"], ["in", "person"], ["bot"], ["wait", 60], ["Marco", "Good morning Johan, which order is it?"], ["in", "4502, the garden chairs"]],
  },
  {
    name: "Priya Naidoo", channel: "WHATSAPP", id: "27820000015", steps: [["in", "hello"], ["bot"], ["tap", "Returns"], ["bot"], ["in", "person please"], ["bot"], ["wait", 90], ["Aisha", "Hi Priya, I am sending you the label now."], ["in", "Thank you, that was fast!"], ["resolve", "Aisha"]],
  },
  {
    name: "Sofia Almeida", channel: "FACEBOOK", id: "24070000011", steps: [
      ["in", "Hello!"], ["bot"], ["in", "person"], ["bot"], ["wait", 70], ["Nomsa", "Hello Sofia, how can I help?"], ["in", "I bought the oak shelf for my office. One bracket is missing."], ["in", "Can you send only the bracket?"], ["wait", 150],
      ["note", "Jonas", "We have spare brackets at the desk of @Aisha Khan."], ["wait", 40], ["Nomsa", "Yes, of course. I send one today, free of charge. Is it the left or the right one?"], ["wait", 80], ["in", "The left one. You are great, thank you!"],
    ],
  },
  { name: "Kenji Watanabe", channel: "TELEGRAM", id: "7000000001", steps: [["in", "Do you ship to Namibia?"], ["bot"], ["in", "person"], ["bot"]] },
  { name: "Thabo Mahlangu", channel: "WHATSAPP", id: "27820000012", steps: [["in", "hi"], ["bot"], ["tap", "Talk to a person"], ["bot"], ["in", "The invoice has the wrong VAT number"]] },
  {
    name: "Lerato Molefe", channel: "WHATSAPP", id: "27820000011", tags: ["vip", "newsletter"], about: "Prefers deliveries after 16:00.", steps: [
      ["in", "hi"], ["bot"], ["tap", "Delivery times"], ["bot"], ["in", "Could I talk to a person?"], ["bot"], ["wait", 45], ["Nomsa", "Hello Lerato, this is Nomsa. What can I do for you?"],
      ["in", "My order 4471 says delivered, but it is not here"], ["wait", 35], ["note", "Nomsa", "The courier left it with a neighbour yesterday. @Marco Silva can you get the photo?"], ["wait", 50],
      ["Nomsa", "I am sorry about that. The courier says that number 14 took it for you. Could you ask there?"], ["wait", 95], ["in", "Found it, thank you so much!"], ["read"], ["Nomsa", "I am glad to hear that. Enjoy the new lamp!"], ["read"], ["in", "One more question: can I pay the next one by card on delivery?"],
    ],
  },
  { name: "Amelia Jacobs", channel: "WHATSAPP", id: "27820000014", steps: [["in", "opening hours"], ["bot"]] },
  { name: "Ruth Abrahams", channel: "WHATSAPP", id: "27820000016", steps: [["in", "hi"], ["bot"], ["tap", "Talk to a person"], ["bot"], ["in", "Can I collect my order at the shop today?"]] },
];
