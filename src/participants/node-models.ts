/** Creates model clients and agents in Node, with its fetch and the system clock. */

import { systemClock } from '../system/clock.ts';
import { createModels, type Models } from './models/index.ts';

const models: Models = createModels({ fetch: (url, init) => fetch(url, init), clock: systemClock });

export const createChatClient: Models['createChatClient'] = models.createChatClient;
export const createAnthropicClient: Models['createAnthropicClient'] = models.createAnthropicClient;
export const createResponsesClient: Models['createResponsesClient'] = models.createResponsesClient;
export const createLlmAdapter: Models['createLlmAdapter'] = models.createLlmAdapter;
export const createAnthropicAdapter: Models['createAnthropicAdapter'] = models.createAnthropicAdapter;
export const createResponsesAdapter: Models['createResponsesAdapter'] = models.createResponsesAdapter;
