// Reports the status of orders: asks for the number, looks it up over HTTP, and hands over to agents.

import { config, log, PluginError } from './patchbay';
import {
  chatbot, choiceOf, close, handOver, reply, requestRating, setState, startTimer, textOf,
  type Action, type Event, type Session,
} from './patchbay/chatbot';
import { fetch } from './patchbay/http';
import * as kv from './patchbay/kv';

interface Settings {
  orderApi: string;
  team?: string;
}

interface Order {
  status: string;
  arrives?: string | null;
}

const SILENCE_SECONDS = 30 * 60;

export const bot = chatbot((event, session) => {
  switch (event.kind.tag) {
    case 'message': return answer(event, session);
    case 'timer': return event.kind.val === 'reminder' ? remind(session) : [];
    case 'agent-released': return menu('I am back. How can I help?');
    case 'rating': return [reply.text('Thank you for your rating!'), setState(''), close()];
    default: return [];
  }
});

function answer(event: Event, session: Session): Action[] {
  const text = textOf(event)?.trim();
  if (text === undefined) return [];
  const choice = choiceOf(event);
  const words = text.toLowerCase();
  if (choice === 'status' || words === 'order status') return stay('order', reply.text('What is your order number?'));
  if (choice === 'person' || words === 'person') {
    const note = 'The customer asked for a person.';
    return [reply.text('A colleague will answer you here.'), setState(''), handOver(note, config<Settings>().team)];
  }
  if (choice === 'bye' || words === 'bye') {
    return stay('rating', reply.text('Thank you, goodbye!'), requestRating());
  }
  if (session.state === 'order') return lookUp(text);
  if (session.state === 'menu') return menu('Please choose.');
  return greet(session);
}

function greet(session: Session): Action[] {
  const visits = Number(kv.get('visits') ?? 0);
  kv.set('visits', String(visits + 1));
  const { name } = session.customer;
  return menu(`${visits === 0 ? 'Welcome' : 'Welcome back'}${name ? `, ${name}` : ''}! How can I help?`);
}

function lookUp(number: string): Action[] {
  if (!/^[0-9]{4,10}$/.test(number)) {
    return stay('order', reply.text('An order number has 4 to 10 digits, such as 1001. Please send it again.'));
  }
  try {
    const response = fetch(`${config<Settings>().orderApi}/orders/${number}`);
    if (response.status === 404) {
      return stay('order', reply.text(`There is no order ${number}. Please check the number and send it again.`));
    }
    if (response.status !== 200) throw new PluginError('order-api', `orders/${number} answered ${response.status}`);
    const { status, arrives } = response.json<Order>();
    return stay(
      'menu',
      reply.text(`Order ${number}: ${status}.${arrives ? ` It arrives on ${arrives}.` : ''}`),
      reply.buttons('Anything else?', { status: 'Another order', person: 'Talk to a person', bye: 'No, thanks' }),
    );
  } catch (fault) {
    log.warn(String(fault));
    const choices = { status: 'Try again', person: 'Talk to a person' };
    return stay('menu', reply.buttons('Our order system does not answer right now.', choices));
  }
}

function remind(session: Session): Action[] {
  switch (session.state) {
    case 'order': return [reply.text('Are you still there? I am waiting for your order number.')];
    case 'menu': return [reply.text('Are you still there? Choose one of the buttons, or write to me any time.')];
    case 'rating': return [setState(''), close()];
    default: return [];
  }
}

const menu = (text: string): Action[] =>
  stay('menu', reply.buttons(text, { status: 'Order status', person: 'Talk to a person' }));

/** Ends an answer after which the bot waits for the customer. */
function stay(state: string, ...replies: Action[]): Action[] {
  return [...replies, setState(state), startTimer('reminder', SILENCE_SECONDS)];
}
