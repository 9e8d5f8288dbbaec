/** The hub, runtime-neutral: sockets, disk and time come from outside. */

export type { HubOptions } from './hub.ts';
export { Hub } from './hub.ts';
export { MemoryStore } from './log/memory-store.ts';
export type { HubEventName, HubEvents, HubListener } from './telemetry/events.ts';
