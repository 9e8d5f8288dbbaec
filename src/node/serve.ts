/** A port of this machine that leads to the hub: HTTP and WebSocket on one listener. HTTP upgrade → socket → link → connection. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { Authenticate } from '../core/credentials.ts';
import { answer } from './http/site.ts';
import type { McpSite } from './mcp/http.ts';
import type { Served } from './served.ts';
import { Addresses } from './wire/addresses.ts';
import { authenticationOf } from './wire/authenticate.ts';
import { Heartbeat } from './wire/heartbeat.ts';
import { hostRefusal, isForwarded, isLoopback } from './wire/hosts.ts';
import { listen } from './wire/listen.ts';
import { mostSockets, RawSockets } from './wire/raw-sockets.ts';
import { refuseUpgrade } from './wire/refuse-upgrade.ts';
import { checkServeOptions, type ServeOptions, type ServeSettings } from './wire/serve-options.ts';
import { Turns } from './wire/turns.ts';
import { WsEndpoint } from './wire/ws-endpoint.ts';

/** A port that is open. */
export interface Serving {
  readonly host: string;
  readonly port: number;
  /** For clients: `ws://127.0.0.1:4747`. */
  readonly url: string;
  /** Takes no more connections. Those that are open are the hub's to end: they get what was sent, for so long, and are cut then. */
  close(drainMs?: number): Promise<void>;
}

/** Pieces a frame may come in: each takes as long to look at as a small frame. */
const MOST_PIECES = 256;
/** How long what was sent last may take to leave when the port closes. */
const DRAIN_MS = 2_000;
/** And when a peer is sent away while the port goes on: a slow one has to read a lot before it comes to its goodbye. */
const FAREWELL_MS = 10_000;

const now = (): number => performance.now();

export async function serve(hub: Served, options: ServeOptions = {}): Promise<Serving> {
  const settings = checkServeOptions(options);
  const judges = { token: (token: unknown) => hub.judgeToken(token) };
  const authentication = await authenticationOf(settings.auth, settings.host, judges);
  return new Port(hub, settings, authentication).open();
}

class Port {
  private readonly hub: Served;
  private readonly settings: ServeSettings;
  private readonly authentication: (isForwarded: boolean) => Authenticate;
  private readonly server: Server;
  private readonly sockets: WebSocketServer;
  private readonly endpoints = new Set<WsEndpoint>();
  private readonly raw: RawSockets;
  private readonly addresses: Addresses;
  private readonly turns = new Turns();
  private readonly heartbeat: Heartbeat;
  /** Made when somebody asks for it: most hubs are never asked. */
  private mcp: Promise<McpSite> | null = null;
  private closing = false;

  constructor(hub: Served, settings: ServeSettings, authentication: (isForwarded: boolean) => Authenticate) {
    this.hub = hub;
    this.authentication = authentication;
    this.settings = settings;
    this.addresses = new Addresses(settings.limits, now);
    this.heartbeat = new Heartbeat(this.endpoints, settings.limits, now);
    // Who sends its headers drop by drop is cut off.
    const { handshakeMs } = settings.limits;
    const timeouts = {
      headersTimeout: handshakeMs,
      requestTimeout: handshakeMs,
      connectionsCheckingInterval: handshakeMs / 2,
    };
    const respond = (request: IncomingMessage, response: ServerResponse): void => this.respond(request, response);
    this.server =
      settings.tls === null
        ? createServer(timeouts, respond)
        : createTlsServer({ ...timeouts, handshakeTimeout: handshakeMs, ...settings.tls }, respond);
    this.server.maxConnections = mostSockets(settings.limits.maxConnections, hub.log);
    this.raw = new RawSockets(this.server);
    this.server.on('upgrade', (request, socket, head) => this.upgrade(request, socket, head));
    this.sockets = new WebSocketServer({
      noServer: true,
      maxPayload: hub.maxFrameBytes,
      perMessageDeflate: false,
      clientTracking: false,
      maxFragments: MOST_PIECES,
      // Answered by the endpoint: ws would answer each, whether the peer reads or not.
      autoPong: false,
      closeTimeout: FAREWELL_MS,
    } as ConstructorParameters<typeof WebSocketServer>[0]);
  }

  async open(): Promise<Serving> {
    await listen(this.server, this.settings).catch((thrown: unknown) => {
      this.heartbeat.stop();
      throw thrown;
    });
    const { port } = this.server.address() as AddressInfo;
    const { host, tls } = this.settings;
    const shown = host.includes(':') ? `[${host}]` : host;
    return {
      host,
      port,
      url: `${tls === null ? 'ws' : 'wss'}://${shown}:${port}`,
      close: (drainMs = DRAIN_MS) => this.close(drainMs),
    };
  }

  private respond(request: IncomingMessage, response: ServerResponse): void {
    const address = request.socket.remoteAddress ?? '';
    const cameThrough = isForwarded(request);
    const visitor = {
      forbidden: hostRefusal(request, this.settings.host, this.settings),
      isLocal: isLoopback(address) && !cameThrough,
      authenticate: this.authentication(cameThrough),
      refusal: () => this.addresses.failureRefusal(address),
      unproven: () => void this.addresses.helloFailed(address),
    };
    // Answered while the port closes: the connection it came on would be kept for another that never comes.
    response.once('close', () => this.closing && setImmediate(() => this.server.closeIdleConnections()));
    answer({ ...this.hub, answerMcp: (...asked) => this.answerMcp(...asked) }, visitor, request, response);
  }

  private async answerMcp(...asked: Parameters<McpSite['answer']>): Promise<void> {
    this.mcp ??= import('./mcp/http.ts').then((loaded) => new loaded.McpSite(this.hub));
    await (await this.mcp).answer(...asked);
  }

  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = request.socket.remoteAddress ?? '';
    socket.on('error', () => socket.destroy());
    const forbidden = hostRefusal(request, this.settings.host, this.settings);
    if (forbidden !== null) return refuseUpgrade(socket, 403, forbidden);
    const busy = this.closing ? 'the hub is stopping' : this.addresses.refusal(address);
    if (busy !== null) return refuseUpgrade(socket, 503, busy);
    this.sockets.handleUpgrade(request, socket, head, (opened) => {
      const endpoint = new WsEndpoint(opened, socket, this.turns, now);
      this.admit(endpoint, address, this.authentication(isForwarded(request)));
    });
  }

  private admit(endpoint: WsEndpoint, address: string, authenticate: Authenticate): void {
    this.endpoints.add(endpoint);
    this.addresses.opened(address);
    let isPending = true;
    const settle = (): void => {
      if (isPending) this.addresses.settled();
      isPending = false;
      clearTimeout(tooLate);
    };
    const { handshakeMs } = this.settings.limits;
    const tooLate = setTimeout(() => endpoint.close(`nobody was bound within ${handshakeMs} ms`), handshakeMs);
    endpoint.onClose(() => {
      settle();
      this.endpoints.delete(endpoint);
      this.addresses.closed(address);
    });
    this.hub.accept(endpoint, {
      address,
      authenticate,
      pingMs: this.settings.limits.pingMs,
      bound: settle,
      helloFailed: () => this.addresses.helloFailed(address),
    });
  }

  /** Idempotent. */
  private async close(drainMs: number): Promise<void> {
    this.closing = true;
    this.heartbeat.stop();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    this.server.closeIdleConnections();
    void this.mcp?.then((mcp) => mcp.close());
    const cut = setTimeout(() => {
      for (const endpoint of this.endpoints) endpoint.destroy();
      // Also those that never got as far as a request, or as TLS.
      this.raw.destroyAll();
    }, drainMs);
    await closed;
    clearTimeout(cut);
  }
}
