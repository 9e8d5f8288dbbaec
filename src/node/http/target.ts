/** What a request asks for: its path and its query, also where the whole address is given, as to a proxy. */

export interface Target {
  readonly path: string;
  readonly query: string;
}

export function targetOf({ url = '/' }: { readonly url?: string | undefined }): Target {
  const local = url.replace(/^https?:\/\/[^/?]*/i, '');
  const end = local.indexOf('?');
  return end === -1 ? { path: local, query: '' } : { path: local.slice(0, end), query: local.slice(end + 1) };
}
