/** The load in its own process: opens rooms on a server and posts to them on demand. */

import { Load } from './load.ts';
import { answerOrders, type LoadOrder } from './orders.ts';
import { openRooms, type Room } from './rooms.ts';

const layouts: (readonly Room[])[] = [];
const load = new Load();

answerOrders<LoadOrder>(async (order) => {
  switch (order.do) {
    case 'open': {
      const { port, isHub } = order;
      const rooms = await openRooms({ port, isHub, prefix: `l${layouts.length}` }, order.layout);
      for (const { parties } of rooms) for (const party of parties) party.listener = load;
      return layouts.push(rooms) - 1;
    }
    case 'closed':
      return load.closed(roomsOf(order), order.inFlight, order.ms);
    case 'paced':
      return load.paced(roomsOf(order), order.rate, order.ms);
  }
});

function roomsOf({ layout, rooms }: { readonly layout: number; readonly rooms: number }): readonly Room[] {
  return (layouts[layout] ?? []).slice(0, rooms);
}
