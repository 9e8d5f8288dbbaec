/** MCP transport over the stdin and stdout of a program; closing it ends the whole process tree. */

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { asError } from '../../core/lib/errors.ts';
import { programEnvironment } from '../../participants/processes/environment.ts';
import { Capture } from '../../participants/processes/output/capture.ts';
import type { Program } from '../../participants/processes/program.ts';
import { checkProgram } from '../../participants/processes/spawn-failure.ts';
import { type StartedProgram, startProgram } from '../../participants/processes/start-program.ts';
import { killTree } from '../../participants/processes/tree/process-tree.ts';

export type Sdk = typeof import('@modelcontextprotocol/client');

const MAX_STDERR_BYTES = 256 * 1024;
/** Leaves room for a result of at most 8 MiB. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Time from SIGTERM to SIGKILL. */
const GRACE_MS = 5_000;

export class ProgramTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  readonly #sdk: Sdk;
  readonly #program: Program;
  readonly #stderr = new Capture(MAX_STDERR_BYTES);
  #started: StartedProgram | null = null;
  #ended: Promise<void> | null = null;

  constructor(sdk: Sdk, program: Program) {
    this.#sdk = sdk;
    this.#program = program;
  }

  get stderr(): string {
    return this.#stderr.text();
  }

  /** Rejects with AgentError if the program cannot start. */
  async start(): Promise<void> {
    const program = { ...this.#program, stdin: '' };
    checkProgram(program);
    const started = await startProgram(program, programEnvironment(program));
    this.#started = started;
    const lines = new this.#sdk.ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
    const decoder = new TextDecoder();
    started.stdin?.on('error', (error) => this.onerror?.(error));
    started.stderr.on('data', (bytes: Buffer) => this.#stderr.add(decoder.decode(bytes, { stream: true })));
    started.stdout.on('data', (bytes: Buffer) => this.#read(lines, bytes));
    void started.exited.then(() => this.close());
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#started?.stdin ?? null;
    if (stdin === null || this.#ended !== null) throw new Error('the server has ended');
    await new Promise<void>((sent, failed) => {
      stdin.write(this.#sdk.serializeMessage(message), (error) => (error ? failed(error) : sent()));
    });
  }

  close(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    const started = this.#started;
    if (started !== null) {
      started.stdin?.end();
      await killTree(started.family, GRACE_MS);
      started.release();
    }
    this.onclose?.();
  }

  #read(lines: InstanceType<Sdk['ReadBuffer']>, bytes: Buffer): void {
    try {
      lines.append(bytes);
    } catch (thrown) {
      // The message is too long, so the following bytes cannot be parsed.
      this.onerror?.(asError(thrown));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = lines.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (thrown) {
        // Not a message: some servers log to stdout.
        this.onerror?.(asError(thrown));
      }
    }
  }
}
