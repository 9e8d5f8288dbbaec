/** Ctrl-C once: what goes on is brought to a good end. Twice: at once. */

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export function untilStopped(onFirst: () => void): { readonly signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const heard = (name: keyof typeof CODES): void => {
    if (controller.signal.aborted) process.exit(CODES[name]);
    onFirst();
    controller.abort(new Error(`stopped by ${name}`));
  };
  const [interrupt, terminate] = [() => heard('SIGINT'), () => heard('SIGTERM')];
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', terminate);
  return {
    signal: controller.signal,
    end() {
      process.off('SIGINT', interrupt);
      process.off('SIGTERM', terminate);
    },
  };
}
