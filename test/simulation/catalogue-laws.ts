/** Hub envelopes match the reference of the wire. */

import type { Envelope } from 'parley-hub/core';
import { isReservedType, isTaskType } from '../../src/core/records/session/envelope.ts';
import { findUncatalogued, isCatalogued } from '../reference/event-catalogue.ts';
import { holds } from './law-broken.ts';

export function checkCatalogued({ event_type, event_data }: Pick<Envelope, 'event_type' | 'event_data'>): void {
  const isOwn = isReservedType(event_type) || isTaskType(event_type);
  holds(!isOwn || isCatalogued(event_type), 'PK8', () => `${event_type} is not in test/reference/event-catalogue.ts`);
  const wrong = findUncatalogued(event_type, event_data);
  holds(wrong.length === 0, 'PK8', () => `the catalogue and ${event_type} differ in ${wrong.join(', ')}`);
}
