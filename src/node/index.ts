/** Parley in Node: a hub in this process, and what one needs to talk to it. */

export type { AgentOptions, HumanOptions, Invite, Message, Session } from '../client/index.ts';
export { AgentClient, HumanClient } from '../client/index.ts';
export type { HubEventName, HubEvents, HubListener } from '../hub/events.ts';
export { MemoryStore } from '../hub/memory-store.ts';
export type { CreateHubOptions, LocalAgentOptions, LocalHub, LocalHumanOptions } from './create-hub.ts';
export { createHub } from './create-hub.ts';
export { systemClock } from './system-clock.ts';
export { systemIds } from './system-ids.ts';
