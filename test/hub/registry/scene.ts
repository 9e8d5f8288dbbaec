/** Profiles and skills of agents. */

import type { Peer } from '../../../src/testing/doubles/peer.ts';
import type { World } from '../../../src/testing/doubles/world.ts';

export const SKILL = '---\nname: reviewing\ndescription: Reads code.\n---\n# How\n\nSend a diff.\n';

export const resumeOf = (world: World, peer: Peer, agent?: string) => world.answer(peer.call('get_resume', { agent }));

export const skillOf = (world: World, peer: Peer, agent?: string) => world.answer(peer.call('get_skill', { agent }));
