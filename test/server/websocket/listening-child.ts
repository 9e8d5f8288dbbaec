/** A process that joins as an agent and hands on every text it hears. */

import { connect } from 'parley-hub';

const [url = '', name = ''] = process.argv.slice(2);
await connect(url, {
  name,
  reconnect: { minMs: 50, maxMs: 200 },
  onMessage: (message) => void process.send?.(message.text),
});
process.send?.('ready');
