// Types of all modules of the page. This file exports nothing, so they need no import.

/** An event as a listener of an element gets it. */
type EventOf<Target extends Element, Kind extends Event = Event> = Kind & { readonly currentTarget: Target };
