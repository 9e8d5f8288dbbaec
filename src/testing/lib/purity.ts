/** Detects impure functions: uses of the clock or randomness, and changed arguments. */

interface Forbidden {
  readonly holder: object;
  readonly key: string;
  readonly name: string;
}

const FORBIDDEN: readonly Forbidden[] = [
  { holder: Math, key: 'random', name: 'Math.random' },
  { holder: performance, key: 'now', name: 'performance.now' },
  { holder: crypto, key: 'randomUUID', name: 'crypto.randomUUID' },
  { holder: crypto, key: 'getRandomValues', name: 'crypto.getRandomValues' },
  { holder: globalThis, key: 'setTimeout', name: 'setTimeout' },
  { holder: globalThis, key: 'setInterval', name: 'setInterval' },
  { holder: globalThis, key: 'setImmediate', name: 'setImmediate' },
  { holder: globalThis, key: 'queueMicrotask', name: 'queueMicrotask' },
  { holder: globalThis, key: 'fetch', name: 'fetch' },
];

/** Returns the names of the forbidden functions that `run` called, even if it swallowed their errors. `run` must be
 * synchronous. */
export function usesClockOrRandom(run: () => void): readonly string[] {
  const touched = new Set<string>();
  const refuse = (name: string) => {
    touched.add(name);
    throw new Error(`${name} is forbidden here`);
  };
  const restore = [
    ...FORBIDDEN.map(({ holder, key, name }) => replace(holder, key, () => refuse(name))),
    replace(globalThis, 'Date', dateWithoutNow(refuse)),
  ];
  try {
    run();
  } finally {
    for (const undo of restore) undo();
  }
  return [...touched];
}

/** A Date class that refuses only the current time: dates from a given time are pure. */
function dateWithoutNow(refuse: (name: string) => never): DateConstructor {
  return new Proxy(Date, {
    apply: () => refuse('Date()'),
    construct: (target, args, newTarget) =>
      args.length === 0 ? refuse('new Date()') : Reflect.construct(target, args, newTarget),
    get: (target, key) => (key === 'now' ? () => refuse('Date.now') : Reflect.get(target, key)),
  });
}

function replace(holder: object, key: string, stub: unknown): () => void {
  const original = Object.getOwnPropertyDescriptor(holder, key);
  Object.defineProperty(holder, key, { value: stub, configurable: true, writable: true });
  return () => {
    if (original === undefined) Reflect.deleteProperty(holder, key);
    else Object.defineProperty(holder, key, original);
  };
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
