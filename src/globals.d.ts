// The web globals the pure layers may use, in the smallest shape that is true in Node and in browsers.
// `types: []` keeps everything else out: a timer, a socket or a file in those layers does not compile.

interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

declare const AbortController: new () => {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
};

declare const TextEncoder: new () => { encode(text?: string): Uint8Array };

declare const TextDecoder: new () => {
  decode(bytes?: Uint8Array, options?: { readonly stream?: boolean }): string;
};
