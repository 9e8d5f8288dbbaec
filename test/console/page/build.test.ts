// The bundled console runs under a strict content security policy.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltPage, builtPage } from '../support/built-page.ts';

let page: BuiltPage;
beforeAll(async () => {
  page = await builtPage();
}, 60_000);
afterAll(() => page?.remove());

const textOf = (ending: string): string =>
  [...page.files].flatMap(([name, text]) => (name.endsWith(ending) ? [text] : [])).join('\n');

describe('the bundled console', () => {
  it('[UI1] has no inline script, style or handler in its document', () => {
    const html = textOf('.html');
    expect(html).toMatch(/<script type="module"[^>]* src="\.\/assets\/[\w.-]+\.js"><\/script>/);
    expect([...html.matchAll(/<script\b[^>]*>([^<]*)/g)].filter(([, body]) => body?.trim() !== '')).toEqual([]);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:/i);
  });

  it('[UI1] evaluates no text and builds no HTML from text', () => {
    expect(textOf('.js')).not.toMatch(
      /\beval\(|new Function\b|document\.write|insertAdjacentHTML|setAttribute\("style"/,
    );
  });

  it('[UI1] names no other origin to fetch from', () => {
    const addresses = [...page.files.values()].flatMap((text) => text.match(/(?:https?|wss?):\/\/[^\s"'`)<>]*/g) ?? []);
    // Namespaces are only names; the last two are a check of zod and an example in a client error.
    const names = /^https?:\/\/(www\.w3\.org|json-schema\.org)\/|^http:\/\/\[\$|^ws:\/\/127\.0\.0\.1:4747$/;
    expect(addresses.filter((address) => !names.test(address))).toEqual([]);
    expect(textOf('.css')).not.toMatch(/@import|url\((?!["']?(?:\.\/|data:))/);
  });

  it('[UI1] has a hash in every file name except the document', () => {
    const others = [...page.files.keys()].filter((name) => name !== 'index.html');
    expect(others.filter((name) => !/^assets\/[\w.-]+-[\w-]{8}\.\w+$/.test(name))).toEqual([]);
  });

  it('[UI9] defines each colour once, for both themes', () => {
    const names = [...textOf('.css').matchAll(/(?<=[{;]|^)\s*(--(?!part-)[\w-]+):[^;}]*(?:#|rgb)[^;}]*/gm)].map(
      ([, name]) => name,
    );
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});
