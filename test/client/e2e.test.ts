import { createHub } from 'parley-hub/node';
import { describeEndToEnd } from './end-to-end.ts';

describeEndToEnd('a link in this process', () => createHub());
