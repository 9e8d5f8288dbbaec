/** Whether a name is connected, asked over HTTP: a request takes over from nobody, as a connection of that name would. */

import { request as overHttp } from 'node:http';
import { request as overHttps } from 'node:https';
import type { Where } from '../../cli/connecting/hub-target.ts';

const PATIENCE_MS = 5_000;

/** By a token that speaks for that name alone. null = it cannot be told. */
export async function isConnectedElsewhere({ url, credentials, ca }: Where, name: string): Promise<boolean | null> {
  const answer = await post(
    `${url.replace(/^ws/, 'http').replace(/\/$/, '')}/api/v1/find_agent`,
    credentials.token,
    ca,
    {
      text: name,
      bound: true,
    },
  ).catch(() => null);
  if (answer === null) return null;
  // The name is not registered yet.
  if (answer.status === 401) return false;
  if (answer.status !== 200) return null;
  // As find_agent answers it.
  const { agents } = JSON.parse(answer.text) as { readonly agents: readonly { readonly name: string }[] };
  return agents.some((agent) => agent.name === name);
}

function post(
  url: string,
  token: unknown,
  ca: string | undefined,
  body: object,
): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${String(token)}` };
  const options = { method: 'POST', headers, timeout: PATIENCE_MS, ...(ca === undefined ? {} : { ca }) };
  return new Promise((resolve, reject) => {
    const asked = (url.startsWith('https') ? overHttps : overHttp)(url, options, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}
